import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("Secrets in crash output")
struct CrashOutputTests {
    /// Values with secrets that are the same in this process and in the one that crashes.
    private static let marks = (access: "8d1f0c4e7b-access-3a96e2d508", refresh: "5b7e9a1c3d-refresh-f0428c6e1a")

    private static var tokens: TokenSet {
        var tokens = TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: marks.refresh),
            accessToken: Secret(marks.access),
            issuedAt: Date(timeIntervalSince1970: 0)
        )
        tokens.refreshToken = Secret(marks.refresh)
        return tokens
    }

    private func search(_ result: ExitTest.Result?) throws -> [String] {
        let canary = SecretCanary()
        canary.watch(Secret(Self.marks.access))
        canary.watch(Secret(Self.marks.refresh))
        let result = try #require(result)
        let bytes = result.standardErrorContent + result.standardOutputContent
        #expect(!bytes.isEmpty)
        return canary.findings(in: bytes)
    }

    @Test("a process that crashes with tokens in memory and in its message prints no token")
    func lastWords() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let tokens = Self.tokens
            print(tokens)
            dump(tokens)
            fatalError("died with \(tokens), \(String(reflecting: tokens)) and \(tokens.accessToken)")
        }
        #expect(try search(result) == [])
    }

    @Test("a crash message that contains an error prints no secret")
    func uncaught() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let answer = IdentityError.ProviderResponse(
                error: Self.marks.access,
                errorDescription: Self.marks.refresh,
                status: 400
            )
            let error = IdentityError(
                .rejected,
                .invalidGrant,
                "The provider refused the code.",
                providerResponse: answer
            )
            preconditionFailure("uncaught: \(error) \(String(reflecting: error))")
        }
        #expect(try search(result) == [])
    }

    @Test("the search finds secrets that a crash prints")
    func control() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            fatalError("died with \(Self.tokens.accessToken.reveal())")
        }
        #expect(try search(result) == [Self.marks.access])
    }
}
