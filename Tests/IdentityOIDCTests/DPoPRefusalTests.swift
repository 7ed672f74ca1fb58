import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import Testing

@Suite("DPoP: refusals of resource servers")
struct DPoPRefusalTests {
    private static func run(_ body: (FakeWorld, TokenSet) async throws -> Void) async throws {
        try await FakeWorld.run({ $0.usesDPoP = true }) { world in
            world.fake.change(answer: { $0["token_type"] = .string("DPoP") })
            try await body(world, try await world.login())
        }
    }

    private static func refusal(_ challenge: String, nonce: String? = nil) -> LoopbackResponse {
        .message(
            status: 401,
            headers: [("WWW-Authenticate", challenge)] + (nonce.map { [("DPoP-Nonce", $0)] } ?? [])
        )
    }

    @Test("a bound token without its DPoP key is not sent, also not as a bearer token")
    func missingKey() async throws {
        try await Self.run { world, tokens in
            var bare = tokens
            bare.dpopKey = nil
            let refused = bare
            let error = await #expect(throws: IdentityError.self) {
                try await world.provider.buyerProfile(for: refused)
            }
            #expect(error?.code == .storeCorrupt)
            #expect(error?.kind == .configuration)
            let url = try HTTPURL("https://api.example/")
            #expect(throws: IdentityError.self) {
                try world.provider.authorizationHeaders(for: .get, url, with: refused)
            }
            #expect(world.fake.requests(to: "/userinfo").isEmpty)
        }
    }

    @Test("an access token that a header cannot contain is an IdentityError")
    func invalidHeader() async throws {
        try await Self.run { world, tokens in
            var broken = tokens
            (broken.accessToken, broken.tokenType) = (Secret("A\nB"), "Bearer")
            let url = try HTTPURL("https://api.example/")
            #expect(throws: IdentityError.self) {
                try world.provider.authorizationHeaders(for: .get, url, with: broken)
            }
        }
    }

    @Test("a provider with a list of resources creates no headers for another origin", arguments: [false, true])
    func resources(usesDPoP: Bool) async throws {
        try await FakeWorld.run({
            $0.usesDPoP = usesDPoP
            $0.resources = ["https://api.example"]
        }) { world in
            if usesDPoP { world.fake.change(answer: { $0["token_type"] = .string("DPoP") }) }
            let tokens = try await world.login()
            let listed = try HTTPURL("https://api.example/orders")
            #expect(try world.provider.authorizationHeaders(for: .get, listed, with: tokens)["Authorization"] != nil)
            let other = try HTTPURL("https://other.example/orders")
            let error = #expect(throws: IdentityError.self) {
                try world.provider.authorizationHeaders(for: .get, other, with: tokens)
            }
            #expect(error?.code == .configurationInvalid && error?.reference?.contains("RFC 9700") == true)
            // The list does not have to contain the provider's own UserInfo endpoint.
            _ = try await world.provider.buyerProfile(for: tokens)
        }
    }

    @Test("a request is not repeated if the server asks for the nonce that the proof already had")
    func sameNonce() async throws {
        try await Self.run { world, tokens in
            let url = try HTTPURL("https://api.example/")
            var answer = HTTPHeaders()
            try answer.set("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"")
            try answer.set("DPoP-Nonce", "n-1")
            let first = try world.provider.authorizationHeaders(for: .get, url, with: tokens)
            #expect(world.provider.shouldRepeat(first, answeredWith: 401, answer, from: url))
            // A second request without a nonce is repeated too: it was sent before the response to the first arrived.
            #expect(world.provider.shouldRepeat(first, answeredWith: 401, answer, from: url))
            let second = try world.provider.authorizationHeaders(for: .get, url, with: tokens)
            #expect(!world.provider.shouldRepeat(second, answeredWith: 401, answer, from: url))
            try answer.set("DPoP-Nonce", "n-2")
            #expect(world.provider.shouldRepeat(second, answeredWith: 401, answer, from: url))
            var bearer = HTTPHeaders()
            try bearer.set("Authorization", "Bearer t")
            #expect(!world.provider.shouldRepeat(bearer, answeredWith: 401, answer, from: url))

            world.fake.replace("/userinfo", by: Self.refusal("DPoP error=\"use_dpop_nonce\"", nonce: "same"))
            for count in [2, 1] {
                let before = world.fake.requests(to: "/userinfo").count
                await #expect(throws: IdentityError.self) { try await world.provider.buyerProfile(for: tokens) }
                #expect(world.fake.requests(to: "/userinfo").count - before == count)
            }
        }
    }

    @Test(
        "a refused DPoP proof does not cause a refresh",
        arguments: [
            ("DPoP error=\"invalid_dpop_proof\"", nil, IdentityError.Kind.configuration),
            ("Bearer, DPoP algs=\"ES256\", error=\"invalid_dpop_proof\"", nil, .configuration),
            ("DPoP error=\"use_dpop_nonce\"", "n", .retryLater), ("DPoP error=\"use_dpop_nonce\"", nil, .retryLater),
            ("DPoP error=\"invalid_token\"", nil, nil), ("Bearer error=\"invalid_dpop_proof\"", nil, nil),
        ] as [(String, String?, IdentityError.Kind?)]
    )
    func refusedProof(challenge: String, nonce: String?, kind: IdentityError.Kind?) async throws {
        try await Self.run { world, tokens in
            let sessions = try world.manager()
            let session = try await sessions.establish(tokens, provider: "fake")
            world.fake.change(claims: { $0["nonce"] = nil })
            world.fake.replace("/userinfo", by: Self.refusal(challenge, nonce: nonce))
            let before = world.fake.requests(to: "/token").count
            let error = await #expect(throws: IdentityError.self) {
                try await sessions.buyerProfile(for: session.id)
            }
            #expect(error?.code == (kind == nil ? .accessTokenRefused : .dpopProofRefused))
            if let kind { #expect(error?.kind == kind) }
            // The SDK creates the headers of a UserInfo request, so the hint does not tell the app to create them.
            #expect(error?.hint?.contains("headers") == false)
            #expect(world.fake.requests(to: "/token").count - before == (kind == nil ? 1 : 0))
        }
    }

    @Test(
        "the error of a DPoP challenge is found before and after other challenges",
        arguments: [
            ("Negotiate abc==, DPoP error=\"use_dpop_nonce\"", true),
            ("Negotiate a/+b=, DPoP error=use_dpop_nonce", true),
            ("Negotiate abc, DPoP error=use_dpop_nonce", true), ("Negotiate, DPoP error=use_dpop_nonce", true),
            ("Negotiate abc==\t , DPoP error=use_dpop_nonce", true),
            ("DPoP error=use_dpop_nonce, Negotiate abc==", true),
            ("DPoP abc==, Basic error=\"use_dpop_nonce\"", false), ("Negotiate abc== DPoP error=use_dpop_nonce", false),
        ]
    )
    func otherChallenges(challenge: String, isFound: Bool) async throws {
        try await Self.run { world, tokens in
            let url = try HTTPURL("https://api.example/")
            var answer = HTTPHeaders()
            try answer.set("WWW-Authenticate", challenge)
            try answer.set("DPoP-Nonce", "n-1")
            let sent = try world.provider.authorizationHeaders(for: .get, url, with: tokens)
            #expect(world.provider.shouldRepeat(sent, answeredWith: 401, answer, from: url) == isFound)
        }
    }
}
