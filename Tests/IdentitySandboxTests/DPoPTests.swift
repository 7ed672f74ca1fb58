import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import TestDoubles
import Testing

@testable import IdentitySandbox

@Suite struct DPoPTests {
    /// A proof for a POST to the token endpoint by default.
    private func proof(
        _ login: OpenIDLogin,
        _ signer: TokenSigner,
        to url: String? = nil,
        token: String? = nil,
        nonce: String? = nil,
        header change: (inout JSONObject) -> Void = { _ in },
        claims edit: (inout JSONObject) -> Void = { _ in }
    ) throws -> [String: String] {
        var claims: JSONObject = [
            "htm": .string(token == nil ? "POST" : "GET"), "htu": .string(url ?? login.openID.tokenEndpoint),
            "iat": .integer(login.now), "jti": .string(RandomText.hexadecimal(32)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        if let token { claims["ath"] = .string(Base64URL.encode(try Digest.sha256(Array(token.utf8)))) }
        edit(&claims)
        let proof = try signer.token(claims) { header in
            header["typ"] = .string("dpop+jwt")
            header["jwk"] = signer.jwk
            change(&header)
        }
        return ["DPoP": proof.reveal()]
    }

    private func thumbprint(_ signer: TokenSigner) throws -> String { try ClientKey(jwk: signer.jwkMembers).thumbprint }

    private func userinfo(_ login: OpenIDLogin, _ headers: [String: String]) async throws -> HTTPResponse {
        try await TestClient.shared.send(.get, login.openID.userinfoEndpoint, headers: headers)
    }

    @Test("the thumbprint of the example key in RFC 7638 section 3.1 is the one that the RFC states")
    func knownThumbprint() throws {
        let modulus = """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs\
            tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbI\
            SD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
            """
        let jwk: JSONObject = [
            "kty": .string("RSA"), "n": .string(modulus), "e": .string("AQAB"), "alg": .string("RS256"),
            "kid": .string("2011-04-29"),
        ]
        #expect(try ClientKey(jwk: jwk).thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test("a proof binds access and refresh token of a public client to its key") func binding() async throws {
        let login = try await OpenIDLogin.start { configuration in
            configuration.clientSecret = nil
            configuration.dpop = .required
        }
        let (signer, other) = (try TokenSigner(.es256, keyID: nil), try TokenSigner(.edDSA, keyID: nil))
        let bound = [(name: "dpop_jkt", value: try thumbprint(signer))]
        let exchange = login.exchange(code: try await login.code(bound)) + login.credentials
        let missing = try await login.token(exchange)
        #expect(missing.json["error"]?.string == "invalid_dpop_proof")
        let stolen = try await login.token(exchange, headers: try proof(login, other))
        #expect(stolen.json["error"]?.string == "invalid_grant")
        let tokens = try await login.token(exchange, headers: try proof(login, signer)).json
        #expect(tokens["token_type"]?.string == "DPoP")

        let token = tokens["access_token"]?.string ?? ""
        let url = login.openID.userinfoEndpoint
        let good = try proof(login, signer, to: url, token: token).merging(["Authorization": "dPoP \(token)"]) { $1 }
        #expect(try await userinfo(login, good).status == 200)
        let replayed = try await userinfo(login, good)
        #expect(replayed.status == 401)
        #expect(replayed.headers["www-authenticate"]?.hasPrefix("DPoP error=\"invalid_dpop_proof\"") == true)
        let bearer = try await userinfo(login, ["Authorization": "Bearer \(token)"])
        #expect(bearer.headers["www-authenticate"]?.contains("invalid_token") == true)
        let foreign = try proof(login, other, to: url, token: token).merging(["Authorization": "DPoP \(token)"]) { $1 }
        #expect(
            try await userinfo(login, foreign).headers["www-authenticate"]?.contains("key of the DPoP proof") == true
        )
        let wrongHash = try proof(login, signer, to: url, token: token + "x")
        let unhashed = wrongHash.merging(["Authorization": "DPoP \(token)"]) { $1 }
        #expect(try await userinfo(login, unhashed).headers["www-authenticate"]?.contains("its ath") == true)

        let refresh =
            [(name: "grant_type", value: "refresh_token"), ("refresh_token", tokens["refresh_token"]?.string ?? "")]
            + login.credentials
        #expect(
            try await login.token(refresh, headers: try proof(login, other)).json["error"]?.string == "invalid_grant"
        )
        #expect(try await login.token(refresh, headers: try proof(login, signer)).status == 200)
        await login.sandbox.stop()
    }

    @Test("a confidential client may refresh with another key, and without DPoP it gets bearer tokens")
    func confidential() async throws {
        let login = try await OpenIDLogin.start { $0.dpop = .accepted }
        let first = try await login.token(
            login.exchange(code: try await login.code()) + login.credentials,
            headers: try proof(login, try TokenSigner(.es256, keyID: nil))
        )
        let refresh =
            [
                (name: "grant_type", value: "refresh_token"),
                ("refresh_token", first.json["refresh_token"]?.string ?? ""),
            ] + login.credentials
        let second = try await login.token(refresh, headers: try proof(login, try TokenSigner(.rs256, keyID: nil)))
        #expect(second.json["token_type"]?.string == "DPoP")
        let plain = try await login.token(login.exchange(code: try await login.code()) + login.credentials)
        #expect(plain.json["token_type"]?.string == "Bearer")
        let token = plain.json["access_token"]?.string ?? ""
        #expect(try await userinfo(login, ["Authorization": "Bearer \(token)"]).status == 200)
        #expect(try await userinfo(login, ["Authorization": "DPoP \(token)"]).status == 401)
        let query = login.openID.userinfoEndpoint + "?access_token=" + token
        #expect(try await TestClient.shared.send(.get, query).status == 400)
        #expect(try await login.metadata()["dpop_signing_alg_values_supported"]?.array?.isEmpty == false)
        await login.sandbox.stop()
    }

    @Test("each error in a DPoP proof has its own message, and the authorization code can still be used")
    func wrongProofs()
        async throws
    {
        let login = try await OpenIDLogin.start { $0.dpop = .required }
        let signer = try TokenSigner(.es256, keyID: nil)
        let exchange = login.exchange(code: try await login.code()) + login.credentials
        let (now, endpoint) = (login.now, login.openID.tokenEndpoint)
        func check(_ expected: String, _ headers: [String: String]) async throws {
            let answer = try await login.token(exchange, headers: headers)
            #expect(answer.status == 400)
            #expect(answer.json["error"]?.string == "invalid_dpop_proof")
            let reason = answer.json["error_description"]?.string ?? ""
            #expect(reason.contains(expected), "\(reason) instead of \(expected)")
        }
        try await check("typ", try proof(login, signer, header: { $0["typ"] = .string("JWT") }))
        try await check("alg", try proof(login, signer, header: { $0["alg"] = .string("none") }))
        try await check("no jwk", try proof(login, signer, header: { $0["jwk"] = nil }))
        try await check(
            "private member d",
            try proof(login, signer) {
                var jwk = signer.jwkMembers
                jwk["d"] = .string("AA")
                $0["jwk"] = .object(jwk)
            }
        )
        let other = try TokenSigner(.es256, keyID: nil).jwk
        try await check("signature", try proof(login, signer, header: { $0["jwk"] = other }))
        try await check("htm", try proof(login, signer, claims: { $0["htm"] = .string("GET") }))
        try await check("htu", try proof(login, signer, claims: { $0["htu"] = .string(endpoint + "?a=b") }))
        try await check("iat is missing", try proof(login, signer, claims: { $0["iat"] = nil }))
        try await check("seconds old", try proof(login, signer, claims: { $0["iat"] = .integer(now - 61) }))
        try await check("11 seconds in the", try proof(login, signer, claims: { $0["iat"] = .integer(now + 11) }))
        try await check("jti", try proof(login, signer, claims: { $0["jti"] = nil }))
        try await check("three parts", ["DPoP": "nonsense"])
        #expect(login.openID.violations.count == 12)
        #expect(try await login.token(exchange, headers: try proof(login, signer)).status == 200)
        await login.sandbox.stop()
    }

    @Test("a required nonce is returned with use_dpop_nonce, at the token endpoint and at UserInfo, and can expire")
    func nonces() async throws {
        let login = try await OpenIDLogin.start { configuration in
            configuration.dpop = .required
            configuration.dpopNonce = .demanded
        }
        let signer = try TokenSigner(.es256, keyID: nil)
        let exchange = login.exchange(code: try await login.code()) + login.credentials
        let asked = try await login.token(exchange, headers: try proof(login, signer))
        #expect(asked.status == 400)
        #expect(asked.json["error"]?.string == "use_dpop_nonce")
        let first = try #require(asked.headers["dpop-nonce"])
        login.openID.expireDPoPNonces()
        let stale = try await login.token(exchange, headers: try proof(login, signer, nonce: first))
        #expect(stale.json["error"]?.string == "use_dpop_nonce")
        let second = try #require(stale.headers["dpop-nonce"])
        #expect(second != first)
        let tokens = try await login.token(exchange, headers: try proof(login, signer, nonce: second))
        #expect(tokens.status == 200)
        #expect(tokens.headers["dpop-nonce"] == nil)
        let token = tokens.json["access_token"]?.string ?? ""
        let url = login.openID.userinfoEndpoint
        let authorization = ["Authorization": "DPoP \(token)"]
        let without = try proof(login, signer, to: url, token: token).merging(authorization) { $1 }
        let refused = try await userinfo(login, without)
        #expect(refused.status == 401)
        #expect(refused.headers["www-authenticate"]?.hasPrefix("DPoP error=\"use_dpop_nonce\"") == true)
        #expect(refused.headers["dpop-nonce"] == second)
        let with = try proof(login, signer, to: url, token: token, nonce: second).merging(authorization) { $1 }
        #expect(try await userinfo(login, with).status == 200)
        #expect(login.openID.violations.isEmpty)
        await login.sandbox.stop()
    }

    @Test("a rotating nonce is accepted once, and each response has the next one") func rotation() async throws {
        let login = try await OpenIDLogin.start { configuration in
            configuration.dpop = .required
            configuration.dpopNonce = .rotating
        }
        let signer = try TokenSigner(.es256, keyID: nil)
        let exchange = login.exchange(code: try await login.code()) + login.credentials
        let first = try #require(
            try await login.token(exchange, headers: try proof(login, signer)).headers["dpop-nonce"]
        )
        let good = try await login.token(exchange, headers: try proof(login, signer, nonce: first))
        #expect(good.status == 200)
        let second = try #require(good.headers["dpop-nonce"])
        let refresh =
            [(name: "grant_type", value: "refresh_token"), ("refresh_token", good.json["refresh_token"]?.string ?? "")]
            + login.credentials
        let again = try await login.token(refresh, headers: try proof(login, signer, nonce: first))
        #expect(again.json["error"]?.string == "use_dpop_nonce")
        #expect(try await login.token(refresh, headers: try proof(login, signer, nonce: second)).status == 200)
        await login.sandbox.stop()
    }

    @Test("a pushed request names the key of its proof or no key, and the code that follows is bound to that key")
    func pushed() async throws {
        let login = try await OpenIDLogin.start { configuration in
            configuration.dpop = .required
            configuration.pushedRequests = .required
        }
        let (signer, other) = (try TokenSigner(.es256, keyID: nil), try TokenSigner(.es256, keyID: nil))
        let endpoint = login.openID.pushedRequestEndpoint
        func push(_ key: TokenSigner?) async throws -> (status: Int, json: JSONValue, headers: HTTPHeaders) {
            let named = try key.map { [(name: "dpop_jkt", value: try thumbprint($0))] } ?? []
            let fields = login.parameters(named) + login.credentials.dropFirst()
            return try await login.post(endpoint, fields, headers: try proof(login, signer, to: endpoint))
        }
        let mismatch = try await push(other)
        #expect(mismatch.status == 400)
        #expect(mismatch.json["error"]?.string == "invalid_dpop_proof")
        #expect(mismatch.json["request_uri"] == nil)
        #expect(login.openID.violations.map(\.endpoint) == [.pushedRequest])

        for named in [signer, nil] {
            let query = [("client_id", login.openID.configuration.clientID)]
            let uri = try #require(try await push(named).json["request_uri"]?.string)
            let url = FormText.append(query + [("request_uri", uri)], to: login.openID.authorizationEndpoint)
            let answer = TestClient.query(try await SandboxBuyer().login(at: url, redirectURI: login.redirectURI))
            let exchange = login.exchange(code: answer["code"] ?? "") + login.credentials
            let stolen = try await login.token(exchange, headers: try proof(login, other))
            #expect(stolen.json["error"]?.string == "invalid_grant")
            #expect(try await login.token(exchange, headers: try proof(login, signer)).status == 200)
        }
        await login.sandbox.stop()
    }
}
