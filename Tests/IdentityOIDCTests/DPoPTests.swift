import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Testing

@Suite("DPoP")
struct DPoPTests {
    private static func bind(_ configuration: inout OpenIDProvider.Configuration) {
        configuration.usesDPoP = true
    }

    private static func bound(_ answer: inout JSONObject) { answer["token_type"] = .string("dPoP") }

    private static func error(_ code: String, _ nonces: [String], status: Int = 400) -> LoopbackResponse {
        .message(
            status: status,
            headers: [("Content-Type", "application/json"), ("WWW-Authenticate", "dpop error=\"\(code)\"")]
                + nonces.map { ("DPoP-Nonce", $0) },
            body: JSONValue.object(["error": .string(code)]).serialized
        )
    }

    /// Requires a DPoP nonce at the token endpoint, and another one at UserInfo, although both have the same origin.
    private static func demandNonces(_ request: LoopbackRequest) -> LoopbackResponse? {
        let wanted = request.path == "/userinfo" ? "rs-1" : "as-1"
        guard request.path == "/token" || request.path == "/userinfo", ObservedProof.nonce(in: request) != wanted else {
            return nil
        }
        return error("use_dpop_nonce", [wanted], status: request.path == "/token" ? 400 : 401)
    }

    @Test("each session uses its own DPoP key for login, refresh and UserInfo, with the nonce of each endpoint")
    func session() async throws {
        try await FakeWorld.run(Self.bind) { world in
            world.fake.change(answer: Self.bound)
            world.fake.intercept(Self.demandNonces)
            world.fake.change(claims: { $0["exp"] = .integer(1_790_100_000) })
            let sessions = try world.manager()
            var thumbprints: Set<String> = []
            for round in 0..<2 {
                let first = world.fake.requests(to: "/token").count
                let started = try await sessions.begin("fake")
                let query = (FormEncoding.decode(Array((started.url.query ?? "").utf8)) ?? [])
                let asked = Dictionary(query, uniquingKeysWith: { _, _ in "twice" })
                world.fake.expect(nonce: asked["nonce"])
                let form = "code=code-1&state=\(asked["state"] ?? "")"
                let session = try await sessions.complete(
                    try LoginCallback(form: Array(form.utf8)),
                    browserBinding: started.browserBinding
                ).session
                world.clock.advance(by: .seconds(7200))
                let tokens = try await sessions.tokens(for: session.id, validFor: .seconds(60)).tokens
                _ = try await world.provider.buyerProfile(for: tokens)

                let requests = Array(world.fake.requests(to: "/token")[first...])
                #expect(requests.count == (round == 0 ? 3 : 2))
                let proofs = try requests.enumerated().map { index, request in
                    let isRefresh = index == requests.count - 1
                    let text = try #require(request.header("DPoP"))
                    return try ObservedProof(
                        text,
                        "POST",
                        world.fake.origin + "/token",
                        at: isRefresh ? world.clock.now : world.clock.now - 7200
                    )
                }
                #expect(proofs.map(\.nonce) == (round == 0 ? [nil, "as-1", "as-1"] : ["as-1", "as-1"]))
                #expect(Set(proofs.map(\.id)).count == proofs.count)
                #expect(Set(proofs.map(\.thumbprint)) == [asked["dpop_jkt"] ?? ""])
                #expect(proofs.allSatisfy { $0.claims["ath"] == nil })
                thumbprints.formUnion(proofs.map(\.thumbprint))

                let profile = try #require(world.fake.requests(to: "/userinfo").last)
                let token = tokens.accessToken.reveal()
                let proof = try ObservedProof(profile, from: world)
                #expect(profile.header("Authorization") == "DPoP \(token)")
                #expect(proof.claims["ath"]?.string == Base64URL.encode(try Digest.sha256(Array(token.utf8))))
                #expect(proof.thumbprint == asked["dpop_jkt"])
                #expect(proof.nonce == "rs-1")
            }
            #expect(thumbprints.count == 2)
            #expect(world.fake.requests(to: "/userinfo").count == 3)
        }
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var error = "use_dpop_nonce"
        var status = 400
        /// The nonces of the response; `#` stands for a new nonce in each response.
        let nonces: [String]
        /// The numbers of token requests in the first and in the second login.
        let requests: [Int]
        var code = IdentityError.Code.dpopProofRefused
        var testDescription: String { "\(status) \(error) \(nonces.map { $0.prefix(10) })" }
    }

    static let answers = [
        Answer(nonces: ["#"], requests: [2, 2]), Answer(status: 401, nonces: ["#"], requests: [2, 2]),
        Answer(nonces: ["same"], requests: [2, 1]), Answer(nonces: [], requests: [1, 1]),
        Answer(nonces: [""], requests: [1, 1]), Answer(nonces: ["a b"], requests: [1, 1]),
        Answer(nonces: ["a\"b"], requests: [1, 1]), Answer(nonces: ["a", "b"], requests: [1, 1]),
        Answer(nonces: [String(repeating: "a", count: 513)], requests: [1, 1]),
        Answer(status: 503, nonces: ["#"], requests: [1, 1], code: .providerUnavailable),
        Answer(error: "invalid_grant", nonces: ["#"], requests: [1, 1], code: .invalidGrant),
        Answer(error: "invalid_dpop_proof", nonces: ["#"], requests: [1, 1]),
    ]

    @Test(
        "after a refusal with a usable DPoP nonce the request is repeated once; after another refusal it is not",
        arguments: answers
    )
    func nonces(answer: Answer) async throws {
        try await FakeWorld.run(Self.bind) { world in
            world.fake.intercept { request in
                guard request.path == "/token" else { return nil }
                let last = ObservedProof.nonce(in: request) ?? ""
                return Self.error(
                    answer.error,
                    answer.nonces.map { $0 == "#" ? last + "n" : $0 },
                    status: answer.status
                )
            }
            for count in answer.requests {
                let before = world.fake.requests(to: "/token").count
                let refusal = try #require(await world.refusal())
                #expect(refusal.code == answer.code)
                #expect(refusal.kind != .signInAgain)
                let sent = world.fake.requests(to: "/token")[before...]
                #expect(sent.count == count)
                #expect(Set(sent.map { request in request.formFields().first { $0.0 == "code" }?.1 }) == ["code-1"])
            }
        }
    }

    @Test(
        "bearer tokens are refused unless acceptsUnboundTokens is set; unsolicited bound tokens are refused too"
    )
    func downgrade() async throws {
        try await FakeWorld.run(Self.bind) { world in
            let error = try #require(await world.refusal())
            #expect(error.code == .tokenUnbound)
            #expect(error.kind == .rejected)
        }
        try await FakeWorld.run {
            Self.bind(&$0)
            $0.acceptsUnboundTokens = true
        } _: { world in
            let tokens = try await world.login()
            _ = try await world.provider.buyerProfile(for: tokens)
            let request = try #require(world.fake.requests(to: "/userinfo").first)
            #expect(request.header("Authorization") == "Bearer \(tokens.accessToken.reveal())")
            #expect(request.header("DPoP") == nil)
            #expect(try await world.provider.refresh(tokens).dpopKey != nil)
            #expect(world.fake.requests(to: "/token").allSatisfy { $0.header("DPoP") != nil })
        }
        try await FakeWorld.run { world in
            world.fake.change(answer: Self.bound)
            #expect(await world.refusal()?.code == .tokenResponseInvalid)
            #expect(world.fake.requests(to: "/token").allSatisfy { $0.header("DPoP") == nil })
        }
    }

    @Test(
        "a refresh follows the session and not the configuration: bound tokens stay bound, bearer tokens stay accepted"
    )
    func refreshOfEither() async throws {
        try await FakeWorld.run {
            Self.bind(&$0)
            $0.acceptsUnboundTokens = true
        } _: { world in
            world.fake.change(answer: Self.bound)
            let bound = try await world.login()
            world.fake.change(answer: { _ in })
            let error = await #expect(throws: IdentityError.self) { try await world.provider.refresh(bound) }
            #expect(error?.code == .tokenUnbound)
        }
        try await FakeWorld.run(Self.bind) { world in
            world.fake.change(answer: Self.bound)
            var unbound = try await world.login()
            unbound.tokenType = "Bearer"
            world.fake.change(answer: { _ in })
            #expect(try await world.provider.refresh(unbound).tokenType == "Bearer")
        }
    }

    @Test(
        "with DPoP switched on, a session that has bearer tokens keeps them, and an unreadable DPoP key is an error"
    )
    func change() async throws {
        try await FakeWorld.run(Self.bind) { world in
            var tokens = TokenSet(
                buyer: Buyer(issuer: world.fake.origin, subject: "buyer-1"),
                accessToken: Secret("old"),
                refreshToken: Secret("r"),
                issuedAt: world.clock.now
            )
            world.fake.change(claims: { $0["nonce"] = nil })
            let record = RecordReader(RecordWriter.record(tokens.write(to:)))
            let refreshed = try await world.provider.refresh(try #require(record.flatMap(TokenSet.init(record:))))
            #expect(refreshed.dpopKey == nil)
            #expect(world.fake.requests(to: "/token").last?.header("DPoP") == nil)
            tokens.dpopKey = Secret("no key")
            let broken = tokens
            let error = await #expect(throws: IdentityError.self) { try await world.provider.refresh(broken) }
            #expect(error?.code == .storeCorrupt)
        }
    }

    @Test("a device login binds its tokens to a DPoP key too")
    func device() async throws {
        try await FakeWorld.run(Self.bind) { world in
            world.fake.change(answer: Self.bound)
            let authorization = try await world.provider.deviceAuthorization(LoginOptions())
            guard case .authorized(let tokens) = try await world.provider.poll(authorization) else {
                Issue.record("The poll returned no tokens.")
                return
            }
            _ = try await world.provider.buyerProfile(for: tokens)
            let requests = world.fake.requests(to: "/token") + world.fake.requests(to: "/userinfo")
            let proofs = try requests.map { try ObservedProof($0, from: world) }
            #expect(proofs.count == 2)
            #expect(Set(proofs.map(\.thumbprint)).count == 1)
        }
    }

    @Test("a login fails before it starts if the metadata list DPoP algorithms without ES256")
    func algorithms() async throws {
        try await FakeWorld.run(Self.bind) { world in
            world.fake.change(metadata: { $0["dpop_signing_alg_values_supported"] = .array([.string("RS256")]) })
            #expect(await world.refusal()?.code == .unsupportedByProvider)
            #expect(world.fake.requests(to: "/token").isEmpty)
        }
    }

    @Test(
        "an app calls its own resource server with a proof for each request and the server's nonce"
    )
    func resources() async throws {
        try await FakeWorld.run(Self.bind) { world in
            world.fake.change(answer: Self.bound)
            let tokens = try await world.login()
            let url = try HTTPURL("https://API.example:443/orders?page=2")
            var sent = HTTPHeaders()
            func proof(_ url: HTTPURL) throws -> ObservedProof {
                let headers = try world.provider.authorizationHeaders(for: .put, url, with: tokens)
                #expect(headers.names.sorted() == ["Authorization", "DPoP"])
                #expect(headers["Authorization"] == "DPoP \(tokens.accessToken.reveal())")
                if sent.count == 0 { sent = headers }
                let place = "https://\(url.host)/orders"
                return try ObservedProof(try #require(headers["DPoP"]), "PUT", place, at: world.clock.now)
            }
            #expect(try proof(url).nonce == nil)
            var headers = HTTPHeaders()
            try headers.set("DPoP-Nonce", "n-1")
            #expect(!world.provider.shouldRepeat(sent, answeredWith: 200, headers, from: url))
            #expect(try proof(url).nonce == "n-1")
            #expect(try proof(try HTTPURL("https://other.example/orders")).nonce == nil)
            let challenges = [
                ("DPoP error=\"use_dpop_nonce\"", true), ("dpop ERROR = use_dpop_nonce, algs=\"ES256\"", true),
                ("Bearer realm=\"a, b=\\\"c\", DPoP algs=\"ES256\", error=\"use_dpop_nonce\"", true),
                ("DPoP error=\"invalid_token\"", false), ("Bearer error=\"use_dpop_nonce\"", false),
                ("Basic realm=\"DPoP error=use_dpop_nonce\"", false), ("DPoP error=\"use_dpop_nonce", false),
                ("", false),
            ]
            for (challenge, isAsked) in challenges {
                try headers.set("WWW-Authenticate", challenge)
                #expect(
                    world.provider.shouldRepeat(sent, answeredWith: 401, headers, from: url) == isAsked,
                    "\(challenge)"
                )
                #expect(!world.provider.shouldRepeat(sent, answeredWith: 403, headers, from: url))
            }
            let plain = try HTTPURL("http://api.example/orders")
            #expect(throws: IdentityError.self) {
                try world.provider.authorizationHeaders(for: .get, plain, with: tokens)
            }
        }
    }
}
