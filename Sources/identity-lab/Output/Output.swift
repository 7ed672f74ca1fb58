internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Writes whole lines to standard output and standard error; the program writes all output with this class.
final class Output: Sendable {
    private struct State {
        var isIncomplete = false
        var hasLostReader = false
        var action: (@Sendable () -> Void)?
    }

    let isJSON: Bool
    let palette: Palette
    private let state = Mutex(State())

    init(isJSON: Bool, environment: [String: String] = IdentityConfiguration.processEnvironment) {
        self.isJSON = isJSON
        palette = Palette(
            isColored: !isJSON && isatty(1) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
                && environment["TERM"] != "dumb"
        )
    }

    /// Whether a write to standard output failed, or the reader of a command that runs until interrupted has closed the pipe.
    ///
    /// After an interruption (Ctrl-C), a closed pipe alone is not a failure, because Ctrl-C also ends the reader of the pipe.
    func isIncomplete(afterInterruption: Bool) -> Bool {
        state.withLock { $0.isIncomplete || $0.hasLostReader && !afterInterruption }
    }

    /// Sets the action that runs once, when a write fails or the reader closes the pipe; immediately if this has happened before.
    func onFailure(_ action: @escaping @Sendable () -> Void) {
        let isIncomplete = state.withLock { state in
            state.action = action
            return state.isIncomplete || state.hasLostReader
        }
        if isIncomplete { action() }
        // A command that prints nothing more would not notice that the reader has closed the pipe, so a thread waits for that.
        var information = stat()
        guard unsafe fstat(1, &information) == 0, information.st_mode & S_IFMT == S_IFIFO else { return }
        _ = DedicatedThread.start { [weak self] in
            Descriptor.wait(for: 0, on: 1)
            self?.fail(hasLostReader: true)
        }
    }

    /// Prints an event: with `--json` as a JSON object, otherwise as `text`; a nil `text` prints nothing.
    func event(_ name: String, _ members: JSONObject, text: @autoclosure () -> String? = nil) {
        guard isJSON else {
            if let text = text() { line(text) }
            return
        }
        var object: JSONObject = ["event": .string(name)]
        for member in members.members { object[member.name] = member.value }
        write(JSONValue.object(object).serialized, to: 1)
    }

    func line(_ text: String = "") {
        guard !isJSON else { return }
        write(Array(text.utf8), to: 1)
    }

    func table(_ table: Table) {
        for text in table.lines(palette) { line(text) }
    }

    func note(_ text: String) {
        write(Array(text.utf8), to: 2)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        let isWritten = state.withLock { _ in Descriptor.write(bytes + [0x0A], to: descriptor) }
        if !isWritten, descriptor == 1 { fail() }
    }

    private func fail(hasLostReader: Bool = false) {
        let action = state.withLock { state in
            let isFirst = !state.isIncomplete && !state.hasLostReader
            if hasLostReader { state.hasLostReader = true } else { state.isIncomplete = true }
            return isFirst ? state.action : nil
        }
        action?()
    }
}
