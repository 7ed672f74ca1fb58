internal import Glibc
internal import IdentityCrypto

/// A secret in a file of its own that nobody else can read.
package enum SecretFile {
    package struct Problem: Error {
        package let reason: String
        package let hint: String
    }

    private static let maximumBytes = 65_536

    /// Reads the file; what is checked is the file that was opened, so that nobody can swap it in between.
    package static func read(_ path: String) throws(Problem) -> Secret {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Problem(
                reason: "it cannot be opened, or is a link",
                hint: "Check the path and the rights of its folder."
            )
        }
        defer { _ = close(descriptor) }
        try check(descriptor)
        var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
        defer { wipe(&bytes) }
        var count = 0
        while count < bytes.count {
            let limit = bytes.count - count
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), limit)
            }
            guard got >= 0 else { throw Problem(reason: "it cannot be read", hint: "Check its rights.") }
            if got == 0 { break }
            count += got
        }
        guard count <= maximumBytes else {
            throw Problem(reason: "it is larger than 64 KiB", hint: "A secret file holds one line.")
        }
        while count > 0, bytes[count - 1] == 0x0A || bytes[count - 1] == 0x0D { count -= 1 }
        guard count > 0 else { throw Problem(reason: "it is empty", hint: "A secret file holds one line.") }
        return unsafe bytes.withUnsafeBytes {
            unsafe Secret(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])))
        }
    }

    private static func check(_ descriptor: Int32) throws(Problem) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(reason: "it is no regular file", hint: "Links and devices are refused.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Problem(reason: "others than its owner may use it", hint: "Run chmod 600 on it.")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Problem(reason: "it belongs to somebody else", hint: "Run chown on it.")
        }
    }
}
