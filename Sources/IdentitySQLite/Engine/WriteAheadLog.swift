internal import CIdentitySQLite
internal import IdentityKit

/// Checks whether the SQLite library in use can corrupt a file in WAL mode.
enum WriteAheadLog {
    /// The SQLite version at run time; the program may have been built with another version.
    static var libraryVersion: Int32 { sqlite3_libversion_number() }

    /// Whether a SQLite version is free of the fault by which two processes that write and checkpoint can corrupt a file in WAL mode.
    ///
    /// The fault is corrected in 3.51.3 and newer, 3.50.7 and later versions of 3.50, and 3.44.6 and later versions of 3.44
    /// (sqlite.org/wal.html, "The WAL-Reset Bug"). `version` is, for example, 3051003 for 3.51.3.
    static func isSafe(_ version: Int32) -> Bool {
        version >= 3_051_003 || (3_050_007..<3_051_000).contains(version) || (3_044_006..<3_045_000).contains(version)
    }

    static func require(_ version: Int32) throws(IdentityError) {
        guard !isSafe(version) else { return }
        throw IdentityError(
            configuration:
                "The journal mode writeAheadLog is refused: with it, this process's SQLite \(text(version)) can corrupt the database file.",
            hint:
                "Use SQLite 3.51.3 or newer, 3.50.7 or a later 3.50, or 3.44.6 or a later 3.44. Or set `journal` of "
                + "SQLiteStore.Configuration to `rollback`."
        )
    }

    static var convertedFile: IdentityError {
        IdentityError(
            configuration: """
                Another process has converted the database file to a write-ahead log, with which this process's SQLite \
                \(text(libraryVersion)) can corrupt the file.
                """,
            hint: """
                Stop every process that uses the store. Set `journal` of SQLiteStore.Configuration to the same value in all processes: \
                `rollback`, or `writeAheadLog` with SQLite 3.51.3 or newer. Then start the processes.
                """
        )
    }

    private static func text(_ version: Int32) -> String {
        "\(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)"
    }
}
