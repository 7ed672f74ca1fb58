internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// What a buyer sees who signs in on another device: the code, then once a minute how long it is still good.
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
        // Unstructured: it runs beside the login that has shown the code, until the screen is closed.
        let task = Task { [output, clock] in
            while (try? await clock.sleep(for: .seconds(60))) != nil {
                let minutes = Int(prompt.expiresAt.timeIntervalSince(clock.now) / 60)
                guard minutes > 0 else { return }
                output.note(
                    "Still waiting; the code is good for \(minutes == 1 ? "a minute" : "\(minutes) minutes") more."
                )
            }
        }
        countdown.withLock { $0 = task }
    }

    /// Ends the countdown, however the login ended.
    func close() {
        countdown.withLock { $0?.cancel() }
    }
}
