import FoundationEssentials
import IdentityKit
import Testing

@testable import IdentityBolt

@Suite("The logins whose callback was checked")
struct CheckedAttemptsTests {
    private static let start = Date(timeIntervalSince1970: 0)

    private func attempt(_ state: String) -> LoginAttempt {
        LoginAttempt(
            provider: "bolt",
            state: Secret(state),
            createdAt: Self.start,
            expiresAt: Self.start + 600
        )
    }

    @Test("above the limit a new login is refused, and the older ones are kept until their codes have expired")
    func limit() throws {
        let attempts = CheckedAttempts(maximum: 2)
        for state in ["a", "b", "b"] { try attempts.add(attempt(state), at: Self.start) }
        let error = #expect(throws: IdentityError.self) { try attempts.add(attempt("c"), at: Self.start + 300) }
        #expect(error?.kind == .retryLater && error?.message.contains("2 logins") == true)
        #expect(attempts.attempt(Secret("a")) != nil && attempts.attempt(Secret("c")) == nil)
        try attempts.add(attempt("c"), at: Self.start + 301)
        #expect(attempts.attempt(Secret("a")) == nil && attempts.attempt(Secret("c")) != nil)
    }
}
