internal import FoundationEssentials

/// Reads the id that Linux gives to each boot of the machine.
///
/// A restart of the machine can damage a file that was written without `fsync`. If the writer adds the current boot id to the
/// file's name, a reader can recognize a file that was written before a restart.
package enum BootID {
    private static let path = "/proc/sys/kernel/random/boot_id"

    /// The id of the current boot; nil if it cannot be read from procfs.
    ///
    /// Some container managers mount a file with the container's id at this path. This id does not show whether the machine was
    /// restarted, so the function ignores a file that is not in procfs.
    @Sendable package static func current() -> String? {
        guard FileSystem.type(at: path) == FileSystem.procfs else { return nil }
        return (try? String(contentsOfFile: path, encoding: .utf8)).flatMap(id)
    }

    /// The id in the first line of the kernel's file; nil if the line is not 36 lowercase hexadecimal digits and hyphens.
    package static func id(in text: String) -> String? {
        let id = text.utf8.prefix { $0 != 0x0A }
        let isID =
            id.count == 36 && id.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isID ? String(decoding: id, as: UTF8.self) : nil
    }
}
