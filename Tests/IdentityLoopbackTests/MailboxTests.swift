import Dispatch
import IdentityPlatform
import Synchronization
import Testing

@Suite("Mailbox of a thread")
struct MailboxTests {
    /// A wake-up of the loop that does not return until the test permits it.
    private final class SlowWake: Sendable {
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let log = Mutex<[String]>([])

        func wake() {
            entered.signal()
            leave.wait()
            log.withLock { $0.append("woken") }
        }
    }

    @Test(
        "the loop can take a command while the sender is still waking it, and the wake-up is released only afterwards"
    )
    func wakingOutsideOfTheLock() async {
        let slow = SlowWake()
        let mailbox = Mailbox<Int>(wake: slow.wake)
        await withTaskGroup(of: Void.self) { group in
            _ = DedicatedThread.start { mailbox.post(1) }
            group.addTask { await mailbox.waitForEnd() }
            await Self.onThread {
                slow.entered.wait()
                var commands: [Int] = []
                mailbox.take(into: &commands)
                #expect(commands == [1])
                // Until the loop takes the second command, later senders do not wake it.
                _ = DedicatedThread.start { mailbox.post(2) }
                slow.entered.wait()
                _ = DedicatedThread.start {
                    _ = mailbox.close { slow.log.withLock { $0.append("released") } }
                }
                while mailbox.post(3) { usleep(100) }
                // The pause is long enough for a wrong `close`, which would not wait for the wake-up.
                usleep(20_000)
                slow.leave.signal()
                slow.leave.signal()
            }
        }
        #expect(slow.log.withLock(\.self) == ["woken", "woken", "released"])
    }

    @Test("a sender wakes a loop that may wait, but not a loop that reads the queue again before it waits")
    func wakingOnlyAWaitingLoop() {
        let wakeUps = Atomic(0)
        let mailbox = Mailbox<Int> { wakeUps.add(1, ordering: .relaxed) }
        var commands: [Int] = []
        mailbox.take(into: &commands, stayingAwake: true)
        mailbox.post(1)
        #expect(wakeUps.load(ordering: .relaxed) == 0)
        #expect(!mailbox.mayWait())
        mailbox.take(into: &commands, stayingAwake: true)
        #expect(commands == [1])
        #expect(mailbox.mayWait())
        mailbox.post(2)
        mailbox.post(3)
        #expect(wakeUps.load(ordering: .relaxed) == 1)
    }

    @Test("a loop that waits without a time limit gets every command", .timeLimit(.minutes(5)))
    func losingNoCommand() async throws {
        let (senders, count) = (4, 20_000)
        let sockets = try #require(SocketPoll())
        defer { sockets.close() }
        let mailbox = Mailbox<Int>(wake: sockets.wake)
        for _ in 0..<senders {
            _ = DedicatedThread.start { for command in 1...count { mailbox.post(command) } }
        }
        let sum = Mutex(0)
        await Self.onThread {
            var received = 0
            var commands: [Int] = []
            while received < senders * count {
                sockets.wait(milliseconds: mailbox.mayWait() ? -1 : 0) { _, _ in }
                mailbox.take(into: &commands, stayingAwake: true)
                received += commands.count
                sum.withLock { [commands] in $0 += commands.reduce(0, +) }
                commands.removeAll(keepingCapacity: true)
            }
        }
        #expect(sum.withLock(\.self) == senders * count * (count + 1) / 2)
        // No sender is in a wake-up any more.
        _ = mailbox.close {}
    }

    /// Runs a blocking body on a dedicated thread.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            _ = DedicatedThread.start {
                body()
                continuation.resume()
            }
        }
    }
}
