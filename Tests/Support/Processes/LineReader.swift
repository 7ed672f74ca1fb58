internal import IdentityPlatform

/// The lines that a process prints, read on a thread.
package final class LineReader: Sendable {
    private let stream: AsyncStream<String>
    private let descriptor: Int32

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        self.stream = stream
        _ = DedicatedThread.start {
            Self.read(descriptor) { continuation.yield($0) }
            continuation.finish()
        }
    }

    package func next() async -> String? {
        for await line in stream { return line }
        return nil
    }

    package func end() {
        close(descriptor)
    }

    /// Reads until the end, and passes on each line; blocks the thread.
    package static func read(_ descriptor: Int32, _ line: (String) -> Void) {
        var pending: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe IdentityPlatform.read(descriptor, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            pending += room[..<count]
            while let end = pending.firstIndex(of: 0x0A) {
                line(String(decoding: pending[..<end], as: UTF8.self))
                pending.removeSubrange(...end)
            }
        }
    }
}
