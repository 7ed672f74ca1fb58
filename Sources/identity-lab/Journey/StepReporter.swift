internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

final class StepReporter: Sendable {
    private struct State {
        var passed = 0
        var failed = 0
        var firstProblem: IdentityError?
    }

    private let output: Output
    private var palette: Palette { output.palette }
    private let state = Mutex(State())

    init(output: Output) {
        self.output = output
    }

    /// The error of the first failed step, which determines the exit status.
    var firstProblem: IdentityError? { state.withLock(\.firstProblem) }

    func heading(_ text: String, provider: String) {
        output.event(
            "chapter",
            ["provider": .string(provider), "title": .string(text)],
            text: "\n\(palette.bold(text)) \(palette.dim("(\(provider.printable))"))"
        )
    }

    /// Runs a step, prints the text or the error of `work`, and returns the error.
    ///
    /// Throws the error only if `work` or the command was cancelled.
    func step(_ title: String, _ work: () async throws -> String) async throws -> IdentityError? {
        let started = ContinuousClock.now
        do {
            let detail = try await work()
            state.withLock { $0.passed += 1 }
            report(title, detail, time: .now - started, passed: true)
            return nil
        } catch {
            let wrapped = IdentityError.wrapping(error)
            guard wrapped.kind != .cancelled, !Task.isCancelled else { throw wrapped }
            state.withLock { state in
                state.failed += 1
                state.firstProblem = state.firstProblem ?? wrapped
            }
            let hint = wrapped.hint.map { " \($0)" } ?? ""
            report(title, "\(wrapped.message)\(hint) [\(wrapped.code)]", time: .now - started, passed: false)
            return wrapped
        }
    }

    func askToSignIn(_ url: HTTPURL, _ mode: CallbackMode) {
        if mode != .sandbox { output.authorize(url, mode: mode) }
    }

    func section(_ text: String) {
        output.line("\n\(palette.bold("—")) \(palette.dim(text))")
    }

    func table(_ reports: [ApproachReport]) {
        var table = Table(["Provider", "Entry point"] + ApproachFacts.head + ["Time"])
        var last = ""
        for report in reports {
            table.add(
                [report.provider == last ? "" : report.provider.printable, report.entryPoint]
                    + report.facts.cells + [report.duration.readable]
            )
            last = report.provider
        }
        output.line()
        output.table(table)
    }

    /// Prints the report of one provider and entry point as a JSON event; has no effect without `--json`.
    func approach(_ report: ApproachReport) {
        let facts = report.facts
        output.event(
            "approach",
            [
                "provider": .string(report.provider),
                "title": .string(report.title),
                "entry_point": .string(report.entryPoint),
                "client_authentication": .string(facts.clientAuthentication),
                "pkce": .string(facts.pkce),
                "tokens": .string(facts.tokens),
                "refresh": .string(facts.refresh),
                "id_token": .string(facts.idToken),
                "cart_identity": .string(facts.cartIdentity),
                "logout": .string(facts.logout),
                "requests": .integer(facts.requests),
                "milliseconds": .integer(Int(report.duration / .milliseconds(1))),
                "problem": report.problem.map { .string($0) } ?? .null,
            ]
        )
    }

    func close(after time: Duration) {
        let (passed, failed) = state.withLock { ($0.passed, $0.failed) }
        output.event(
            "summary",
            ["held": .integer(passed), "failed": .integer(failed)],
            text: "\n"
                + (failed == 0
                    ? palette.green("✓ All \(passed) steps passed, in \(time.readable).")
                    : palette.red("✗ \(failed) of \(passed + failed) steps failed."))
        )
    }

    private func report(_ title: String, _ detail: String, time: Duration, passed: Bool) {
        let mark = passed ? palette.green("✓") : palette.red("✗")
        let name = title + String(repeating: " ", count: max(1, 30 - title.count))
        output.event(
            "step",
            ["step": .string(title), "held": .bool(passed), "detail": .string(detail)],
            text: "  \(mark) \(name)\(detail.printable) \(palette.dim(time.readable))"
        )
    }
}
