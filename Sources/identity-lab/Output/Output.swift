internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Writes whole lines to standard output and standard error; all output goes through it.
final class Output: Sendable {
    private struct State {
        var isIncomplete = false
        var action: (@Sendable () -> Void)?
    }

    let isJSON: Bool
    /// Whether standard output may be coloured.
    let isColored: Bool
    private let state = Mutex(State())

    init(isJSON: Bool, environment: [String: String] = IdentityConfiguration.processEnvironment) {
        self.isJSON = isJSON
        isColored =
            !isJSON && isatty(1) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Whether a write to standard output failed, for example because the reader has closed the pipe.
    var isIncomplete: Bool { state.withLock(\.isIncomplete) }

    /// Sets the action of the first failed write to standard output; runs it immediately if a write has already failed.
    func onFailure(_ action: @escaping @Sendable () -> Void) {
        let isIncomplete = state.withLock { state in
            state.action = action
            return state.isIncomplete
        }
        if isIncomplete { action() }
    }

    /// Prints an event: with `--json` as a JSON object, otherwise as text.
    func event(_ name: String, _ members: JSONObject, text: @autoclosure () -> String) {
        guard isJSON else { return line(text()) }
        var object: JSONObject = ["event": .string(name)]
        for member in members.members { object[member.name] = member.value }
        write(JSONValue.object(object).serialized, to: 1)
    }

    /// Prints a line of text; has no effect with `--json`.
    func line(_ text: String = "") {
        guard !isJSON else { return }
        write(Array(text.utf8), to: 1)
    }

    /// Prints a line on standard error.
    func note(_ text: String) {
        write(Array(text.utf8), to: 2)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        let line = bytes + [0x0A]
        let action: (@Sendable () -> Void)? = state.withLock { state in
            var rest = line[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe IdentityPlatform.write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    guard descriptor == 1, !state.isIncomplete else { return nil }
                    state.isIncomplete = true
                    return state.action
                }
                rest = rest.dropFirst(count)
            }
            return nil
        }
        action?()
    }
}
