internal import Testing

extension Test {
    /// Cancels the running case of a conformance suite, because the tested store or provider lacks what the case needs.
    ///
    /// It first records a warning with the reason, because not every test report shows the reason of a cancellation.
    static func doesNotApply(_ reason: String) throws -> Never {
        Issue.record("does not apply: \(reason)", severity: .warning)
        try Test.cancel("does not apply: \(reason)")
    }
}
