internal import IdentityKit
internal import IdentityPlatform

/// Network file systems, on which locks are not reliable: for example, other machines may not see a lock.
enum NetworkFileSystem {
    /// Refuses a directory on a network file system.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - type: The type that `statfs` returns for the directory.
    /// - Throws: `IdentityError` when the file system is a network file system.
    static func refuse(_ directory: String, type: Int64) throws(IdentityError) {
        guard let name = FileSystem.networkName(ofType: type) else { return }
        throw IdentityError(
            configuration:
                "\(directory) is on a file system that several machines can share (\(name)), where locks are not reliable.",
            hint: """
                Put the store on a local disk. If several machines need the same sessions, use a `PostgresStore`. To use this directory \
                at your own risk, set `SQLiteStore.Configuration.allowsNetworkFileSystem` in the app.
                """
        )
    }
}
