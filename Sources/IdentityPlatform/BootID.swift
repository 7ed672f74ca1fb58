internal import FoundationEssentials

/// The id of the machine's current boot; Linux creates a new one at each boot.
///
/// Data that was written but not synchronized is visible to all processes of the machine, and only a restart of the machine can lose or
/// damage it. So a file whose name contains this id can be trusted without synchronization.
package enum BootID {
    private static let path = "/proc/sys/kernel/random/boot_id"

    /// The id of the present boot; nil if it cannot be determined.
    ///
    /// Some container managers mount a file with an id for each container over the kernel's file. Such an id says nothing about the machine.
    @Sendable package static func current() -> String? {
        guard FileSystem.type(at: path) == FileSystem.procfs else { return nil }
        return (try? String(contentsOfFile: path, encoding: .utf8)).flatMap(id)
    }

    /// The id in the content of the kernel's file; nil if the content has another form.
    package static func id(in text: String) -> String? {
        let id = text.utf8.prefix { $0 != 0x0A }
        let isID =
            id.count == 36 && id.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isID ? String(decoding: id, as: UTF8.self) : nil
    }
}
