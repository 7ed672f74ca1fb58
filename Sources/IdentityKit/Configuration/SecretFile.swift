internal import IdentityCrypto
internal import IdentityPlatform

/// Reads a secret from a file that only its owner can read.
package enum SecretFile {
    package struct Problem: Error {
        package let reason: String
        package let hint: String
    }

    private static let maximumBytes = 65_536

    /// Reads the file, without the line breaks at its end.
    ///
    /// The checks of type, permissions and owner use the opened descriptor, so that nobody can replace the file between check and read.
    package static func read(_ path: String) throws(Problem) -> Secret {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Problem(
                reason: "it could not be opened, or is a symbolic link",
                hint: """
                    Check the path: a relative path starts at the process's working directory. Check the permissions of the secret file \
                    and of its directory. If the path is a symbolic link, use the path of its target.
                    """
            )
        }
        defer { _ = close(descriptor) }
        try check(descriptor)
        var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
        defer { wipe(&bytes) }
        guard var count = Descriptor.read(descriptor, into: &bytes) else {
            throw Problem(reason: "it could not be read", hint: "Check the disk and the file system of the file.")
        }
        guard count <= maximumBytes else {
            throw Problem(reason: "it is larger than 64 KiB", hint: "Write the secret into the file, and nothing else.")
        }
        while count > 0, bytes[count - 1] == 0x0A || bytes[count - 1] == 0x0D { count -= 1 }
        guard count > 0 else {
            throw Problem(reason: "it is empty", hint: "Write the secret into the file, and nothing else.")
        }
        return unsafe bytes.withUnsafeBytes {
            unsafe Secret(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])))
        }
    }

    private static func check(_ descriptor: Int32) throws(Problem) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(
                reason: "it is not a regular file",
                hint: "Use the path of a regular file, not of a directory or a device."
            )
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Problem(
                reason: "its permissions let the file's group or other users access the file",
                hint: "Run chmod 600 on the secret file. Make the user of this process the owner of the file."
            )
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Problem(
                reason: "it belongs to another user",
                hint: "Run chown on the secret file, so that the file belongs to the user of this process."
            )
        }
    }
}
