internal import Testing

extension Test {
    /// Cancels the running case of a conformance suite, because the tested store or provider lacks what the case needs.
    ///
    /// It first records a warning with the reason, because not every test report shows the reason of a cancellation.
    static func doesNotApply(_ reason: String) throws -> Never {
        Issue.record("does not apply: \(reason)", severity: .warning)
        try Test.cancel("does not apply: \(reason)")
    }

    /// Returns the tested store or provider as a value of an optional protocol; cancels the running case if `subject` does not conform.
    static func offered<Ability>(_ ability: Ability.Type, by subject: Any) throws -> Ability {
        if let offered = subject as? Ability { return offered }
        try doesNotApply("\(type(of: subject)) does not conform to \(ability)")
    }
}
