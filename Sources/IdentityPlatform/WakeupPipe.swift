/// A pipe that wakes a thread which waits in `poll`: ``wake()`` makes the read end of the pipe readable.
package struct WakeupPipe: Sendable {
    package let readDescriptor: Int32
    private let writeDescriptor: Int32

    /// Opens a pipe; nil on failure, for example if the process has no free descriptors: see `errno`.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        (readDescriptor, writeDescriptor) = (ends[0], ends[1])
        guard Descriptor.prepare(readDescriptor), Descriptor.prepare(writeDescriptor) else {
            close()
            return nil
        }
    }

    /// Makes the read end readable; if the pipe is full, the write fails, but the read end is readable already.
    package func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeDescriptor, &byte, 1)
    }

    /// Reads the bytes of up to 64 calls of ``wake()``, because `poll` reports the read end at once while the pipe contains bytes.
    package func drain() {
        var room: [UInt8] = Array(repeating: 0, count: 64)
        _ = unsafe read(readDescriptor, &room, room.count)
    }

    package func close() {
        _ = IdentityPlatform.close(readDescriptor)
        _ = IdentityPlatform.close(writeDescriptor)
    }
}
