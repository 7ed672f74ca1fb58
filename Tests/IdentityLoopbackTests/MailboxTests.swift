import Dispatch
import IdentityPlatform
import Synchronization
import Testing

@Suite("Mailbox of a thread")
struct MailboxTests {
    /// A loop's wake-up that stays in its system call until the test lets it return.
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

    @Test("the loop takes a command while its sender still wakes it, and the wake-up is not released before it returns")
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
                // Enough for a close that does not wait.
                usleep(20_000)
                slow.leave.signal()
                slow.leave.signal()
            }
        }
        #expect(slow.log.withLock(\.self) == ["woken", "woken", "released"])
    }

    /// Runs a body that blocks.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            _ = DedicatedThread.start {
                body()
                continuation.resume()
            }
        }
    }
}
