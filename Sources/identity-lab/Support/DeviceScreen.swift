internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// Shows the code of a device login and, unless the output is JSON, once a minute how long the code remains valid.
final class DeviceScreen: Sendable {
    private let output: Output
    private let clock: any IdentityClock
    private let countdown = Mutex<Task<Void, Never>?>(nil)

    init(output: Output, clock: any IdentityClock) {
        self.output = output
        self.clock = clock
    }

    func show(_ prompt: DeviceLoginPrompt) {
        output.device(prompt)
        guard !output.isJSON else { return }
        let task = Task { [output, clock] in
            while (try? await clock.sleep(for: .seconds(60))) != nil {
                let minutes = Int(prompt.expiresAt.timeIntervalSince(clock.now) / 60)
                guard minutes > 0 else { return }
                output.note(
                    "Still waiting; the code is valid for another \(minutes == 1 ? "minute" : "\(minutes) minutes")."
                )
            }
        }
        countdown.withLock { $0 = task }
    }

    func close() {
        countdown.withLock { $0?.cancel() }
    }
}
