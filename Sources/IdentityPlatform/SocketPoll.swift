internal import CIdentityPlatform

/// Waits for events of sockets; another thread can end the wait (epoll(7), eventfd(2)).
///
/// Unlike the cost of `poll`, the cost of a wait does not grow with the number of watched sockets.
package struct SocketPoll: Sendable {
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let read = Events(rawValue: EPOLLIN.rawValue)
        package static let write = Events(rawValue: EPOLLOUT.rawValue)
        /// The socket failed, or both sides closed the connection; reported even if ``SocketPoll/watch(_:for:)`` did not request it.
        package static let failure = Events(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    private static let maximumEvents = 64

    private let poll: Int32
    private let wakeup: Int32

    /// Opens the descriptors of epoll and eventfd; nil on failure, for example if the process has no free descriptors: see `errno`.
    package init?() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // With EPOLLET, a `wake()` ends only one wait. Without EPOLLET, every wait would return at once until the eventfd had been read.
        guard poll >= 0, wakeup >= 0, control(EPOLL_CTL_ADD, wakeup, EPOLLIN.rawValue | EPOLLET.rawValue) else {
            close()
            return nil
        }
    }

    /// Ends the current or the next ``wait(milliseconds:_:)``; any thread may call this method.
    package func wake() {
        var one: UInt64 = 1
        _ = unsafe write(wakeup, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes ``wait(milliseconds:_:)`` report these events of a socket, instead of events set earlier; false if the kernel refuses.
    @discardableResult
    package func watch(_ socket: Int32, for events: Events) -> Bool {
        control(EPOLL_CTL_ADD, socket, events.rawValue)
            || errno == EEXIST && control(EPOLL_CTL_MOD, socket, events.rawValue)
    }

    /// Stops watching a socket; has no effect if the socket is not watched.
    package func ignore(_ socket: Int32) {
        _ = control(EPOLL_CTL_DEL, socket, 0)
    }

    /// Waits until a watched socket has an event, another thread calls ``wake()``, or the time is over.
    ///
    /// `handle` may get a socket that an earlier call of `handle` in the same wait has closed.
    package func wait(milliseconds: Int32, _ handle: (Int32, Events) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.maximumEvents) { events in
            let count = unsafe epoll_wait(poll, events.baseAddress, Int32(events.count), milliseconds)
            for index in 0..<max(0, Int(count)) {
                let event = unsafe events[index]
                if unsafe event.data.fd != wakeup { unsafe handle(event.data.fd, Events(rawValue: event.events)) }
            }
        }
    }

    /// Closes the descriptors of epoll and eventfd; no other method may be called afterwards.
    package func close() {
        for descriptor in [poll, wakeup] where descriptor >= 0 { _ = IdentityPlatform.close(descriptor) }
    }

    private func control(_ operation: Int32, _ socket: Int32, _ events: UInt32) -> Bool {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: socket))
        return unsafe epoll_ctl(poll, operation, socket, &event) == 0
    }
}
