internal import IdentityKit
internal import IdentityPlatform

/// Lines from a file descriptor, by default from standard input.
///
/// A dedicated thread waits for the bytes, so a wait blocks no thread of the cooperative pool, and a cancelled task returns at once.
/// Bytes after the line feed stay in the descriptor for the next ``nextLine()`` or another reader.
public struct StandardInput: LineSource {
    private let descriptor: Int32
    private let maximumBytes: Int

    /// Creates a source that reads from a descriptor; the descriptor stays open.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor, by default 0.
    ///   - maximumBytes: The maximum length of a line in bytes, by default 32 KiB.
    public init(descriptor: Int32 = 0, maximumBytes: Int = 32 << 10) {
        self.descriptor = descriptor
        self.maximumBytes = max(1, maximumBytes)
    }

    /// The next line without its line feed; nil at the end; throws the same errors as ``LineSource/nextLine()``.
    public func nextLine() async throws -> String? {
        let reading = try LineReading(descriptor: descriptor, maximumBytes: maximumBytes)
        return try await withTaskCancellationHandler {
            try await reading.line()
        } onCancel: {
            reading.cancel()
        }
    }
}

/// Reads one line on a dedicated thread, until a line feed, the end of the input or a cancellation.
private final class LineReading: Sendable {
    private let descriptor: Int32
    private let maximumBytes: Int
    private let wakeup: WakeupPipe

    init(descriptor: Int32, maximumBytes: Int) throws(IdentityError) {
        guard let wakeup = WakeupPipe() else {
            throw Self.failure(
                "The input could not be read, because the process could not open a pipe (errno \(errno)).",
                "For errno 23, raise the machine's limit of open files (fs.file-max). Otherwise raise the process's limit (ulimit -n)."
            )
        }
        self.wakeup = wakeup
        self.descriptor = descriptor
        self.maximumBytes = maximumBytes
    }

    deinit {
        wakeup.close()
    }

    func cancel() {
        wakeup.wake()
    }

    func line() async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            let isStarted = DedicatedThread.start {
                continuation.resume(with: Result { try self.read() })
            }
            guard !isStarted else { return }
            continuation.resume(
                throwing: Self.failure(
                    "The input could not be read, because the process could not start a thread.",
                    "Raise the limit of threads of this process (ulimit -u), or end other programs."
                )
            )
        }
    }

    private func read() throws -> String? {
        var line: [UInt8] = []
        while true {
            guard try waitForByte() else { throw CancellationError() }
            var byte: UInt8 = 0
            // One byte at a time, so that the bytes after the line feed stay in the descriptor for the next reader.
            let count = unsafe IdentityPlatform.read(descriptor, &byte, 1)
            if count < 0 {
                let number = errno
                if number == EINTR || number == EAGAIN { continue }
                throw Self.failure(
                    "The input could not be read (errno \(number)).",
                    "Check that the input is open, and that the process runs in the foreground."
                )
            }
            guard count > 0 else { return line.isEmpty ? nil : try text(line) }
            if byte == 0x0A { return try text(line) }
            // The rest of a line that is too long is discarded. Otherwise it would be read as the next line.
            if line.count <= maximumBytes { line.append(byte) }
        }
    }

    /// Waits for input; false if the task was cancelled.
    private func waitForByte() throws -> Bool {
        var descriptors = [
            pollfd(fd: wakeup.readDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&descriptors, 2, -1) < 0 {
            guard errno == EINTR else {
                throw Self.failure(
                    "The input could not be read, because the wait for it failed (errno \(errno)).",
                    "Try again. If it fails again, check the machine's free memory and the process's limit of open files (ulimit -n)."
                )
            }
        }
        return descriptors[0].revents == 0
    }

    private func text(_ bytes: [UInt8]) throws -> String {
        guard bytes.count <= maximumBytes else {
            throw refused("The input line is longer than \(maximumBytes) bytes.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refused("The input line is not UTF-8.") }
        return text
    }

    private static func failure(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(.retryLater, .systemFailure, message, hint: hint)
    }

    private func refused(_ message: String) -> IdentityError {
        IdentityError(
            .rejected,
            .callbackInvalid,
            message,
            hint: "Enter one line: the address that the browser shows, or the posted form if the login uses form_post."
        )
    }
}
