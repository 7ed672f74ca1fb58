internal import Glibc
internal import IdentityHTTP
internal import IdentityKit

/// Lines from a file descriptor, standard input unless another is given.
///
/// A thread of its own waits for the bytes, so that no task's thread does, and a cancelled task is answered at once. No byte
/// behind the line feed is read: the rest belongs to whoever reads next.
public struct StandardInput: LineSource {
    private let descriptor: Int32
    private let maximumBytes: Int

    /// Reads from a descriptor, which stays open.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor, 0 unless given.
    ///   - maximumBytes: How long a line may be, 32 KiB unless given.
    public init(descriptor: Int32 = 0, maximumBytes: Int = 32 << 10) {
        self.descriptor = descriptor
        self.maximumBytes = max(1, maximumBytes)
    }

    /// The next line.
    public func nextLine() async throws -> String? {
        let reading = try LineReading(descriptor: descriptor, maximumBytes: maximumBytes)
        return try await withTaskCancellationHandler {
            try await reading.line()
        } onCancel: {
            reading.cancel()
        }
    }
}

/// The reading of one line.
private final class LineReading: Sendable {
    private let descriptor: Int32
    private let maximumBytes: Int
    private let wakeup: (read: Int32, write: Int32)

    init(descriptor: Int32, maximumBytes: Int) throws(IdentityError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw IdentityError(.retryLater, .systemFailure, "The system gave no pipe to wait with.")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeup = (ends[0], ends[1])
        self.descriptor = descriptor
        self.maximumBytes = maximumBytes
    }

    deinit {
        close(wakeup.read)
        close(wakeup.write)
    }

    func cancel() {
        var byte: UInt8 = 1
        _ = unsafe write(wakeup.write, &byte, 1)
    }

    func line() async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            let isStarted = DedicatedThread.start {
                continuation.resume(with: Result { try self.read() })
            }
            guard !isStarted else { return }
            continuation.resume(
                throwing: IdentityError(.retryLater, .systemFailure, "The system gave no thread to wait with.")
            )
        }
    }

    private func read() throws -> String? {
        var line: [UInt8] = []
        while true {
            guard try waitForByte() else { throw CancellationError() }
            var byte: UInt8 = 0
            // One at a time: what follows the line is not ours.
            let count = unsafe Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return line.isEmpty ? nil : try text(line) }
            if byte == 0x0A { return try text(line) }
            guard line.count < maximumBytes else {
                throw refused("The line is longer than \(maximumBytes) bytes.")
            }
            line.append(byte)
        }
    }

    /// Waits for something to read; false when the task was cancelled.
    private func waitForByte() throws -> Bool {
        var descriptors = [
            pollfd(fd: wakeup.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&descriptors, 2, -1) < 0 {
            guard errno == EINTR else {
                throw IdentityError(.retryLater, .systemFailure, "Waiting for input failed with error \(errno).")
            }
        }
        return descriptors[0].revents == 0
    }

    private func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refused("The line is not UTF-8.") }
        return text
    }

    private func refused(_ message: String) -> IdentityError {
        IdentityError(.rejected, .callbackInvalid, message, hint: "Paste the callback URL as one line.")
    }
}
