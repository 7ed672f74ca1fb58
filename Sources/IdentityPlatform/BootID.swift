internal import FoundationEssentials

/// The id of the machine's current boot; Linux creates a new one at each boot.
///
/// All processes of the machine see data that was written without `fsync`, and only a restart of the machine can lose or damage the data.
/// A file whose name contains the current id was written after the last restart, so it is intact even without `fsync`.
package enum BootID {
    private static let path = "/proc/sys/kernel/random/boot_id"

    /// The id of the present boot; nil if it cannot be determined.
    ///
    /// Some container managers mount a file with an id for each container over the kernel's file. This function returns nil for that file,
    /// because a container's id does not show when the machine was restarted.
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
