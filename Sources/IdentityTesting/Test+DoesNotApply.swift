internal import Testing

extension Test {
    /// Cancels the running case of a conformance suite, because it needs an ability that the tested store or provider does not have.
    ///
    /// It also records a warning, which appears in every report.
    static func doesNotApply(_ reason: String) throws -> Never {
        Issue.record("does not apply: \(reason)", severity: .warning)
        try Test.cancel("does not apply: \(reason)")
    }
}
