internal import IdentityKit
internal import Synchronization

/// Prints the result of each point that `identity-lab check` tests, and remembers the failures.
final class CheckReport: Sendable {
    enum Result: String {
        case ok, warning, failed

        var sign: String {
            switch self {
            case .ok: "✓"
            case .warning: "!"
            case .failed: "✗"
            }
        }
    }

    private let output: Output
    private let state = Mutex<(counts: [Result: Int], failures: [(place: String, error: IdentityError)])>(([:], []))

    init(_ output: Output) {
        self.output = output
    }

    func ok(_ subject: String, _ point: String, _ message: String) {
        add(.ok, subject, point, message, nil, nil)
    }

    func warn(_ subject: String, _ point: String, _ message: String, hint: String) {
        add(.warning, subject, point, message, hint, nil)
    }

    func fail(_ subject: String, _ point: String, _ error: any Error) {
        let error = IdentityError.wrapping(error)
        state.withLock { $0.failures.append(("\(subject) \(point)", error)) }
        add(.failed, subject, point, error.message, error.hint, error.code)
    }

    /// Reports the text or the error of `test`, and returns whether the point passed.
    @discardableResult
    func point(_ subject: String, _ point: String, _ test: () async throws -> String) async -> Bool {
        do {
            ok(subject, point, try await test())
            return true
        } catch {
            fail(subject, point, error)
            return false
        }
    }

    private func add(
        _ result: Result,
        _ subject: String,
        _ point: String,
        _ message: String,
        _ hint: String?,
        _ code: IdentityError.Code?
    ) {
        state.withLock { $0.counts[result, default: 0] += 1 }
        let hint = hint?.printable
        output.event(
            "check",
            [
                "subject": .string(subject), "point": .string(point), "result": .string(result.rawValue),
                "message": .string(message.printable), "hint": hint.map { .string($0) } ?? .null,
                "code": code.map { .string($0.rawValue) } ?? .null,
            ],
            text: "\(result.sign) \(subject.printable), \(point): \(message.printable)"
                + (hint.map { "\n  → \($0)" } ?? "")
        )
    }

    /// Prints the number of results, and throws an error if a check failed.
    ///
    /// The error has the kind of the failure that must be repaired first: an invalid configuration comes first, an outage last. The kind
    /// determines the exit status.
    func finish() throws {
        let (counts, failures) = state.withLock { ($0.counts, $0.failures) }
        let (ok, warnings) = (counts[.ok] ?? 0, counts[.warning] ?? 0)
        output.event(
            "checked",
            ["ok": .integer(ok), "warnings": .integer(warnings), "failed": .integer(failures.count)],
            text: "Passed checks: \(ok); warnings: \(warnings); failures: \(failures.count)."
        )
        let order: [IdentityError.Kind] = [.configuration, .rejected, .signInAgain, .retryLater]
        let worst = order.lazy.compactMap { kind in failures.first { $0.error.kind == kind } }.first ?? failures.first
        guard let worst else { return }
        throw IdentityError(
            worst.error.kind,
            worst.error.code,
            "\(failures.count) of \(ok + warnings + failures.count) checks failed.",
            hint: "Start with \(worst.place): \(worst.error.message)"
        )
    }
}
