internal import FoundationEssentials
internal import IdentityPlatform

/// The id of the machine's current boot; Linux creates a new one at each boot.
///
/// Data that was written but not synchronized is visible to all processes of the machine, and only a restart of the machine can lose or
/// damage it. So a file whose name contains this id can be trusted without synchronization.
enum BootID {
    private static let path = "/proc/sys/kernel/random/boot_id"
    /// The type of procfs, from `linux/magic.h`.
    private static let procfs: Int64 = 0x9FA0

    /// The id of the present boot; nil if it cannot be determined.
    ///
    /// Some container managers mount a file with an id for each container over the kernel's file. Such an id says nothing about the machine.
    @Sendable static func current() -> String? {
        guard Platform.fileSystem(at: path) == procfs else { return nil }
        return (try? String(contentsOfFile: path, encoding: .utf8)).flatMap(id)
    }

    /// The id in the content of the kernel's file; nil if the content has another form.
    static func id(in text: String) -> String? {
        let id = text.utf8.prefix { $0 != 0x0A }
        let isID =
            id.count == 36 && id.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isID ? String(decoding: id, as: UTF8.self) : nil
    }
}
