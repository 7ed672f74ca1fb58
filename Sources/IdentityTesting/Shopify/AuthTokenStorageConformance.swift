internal import FoundationEssentials
public import IdentityShopify
internal import Testing

/// The conformance suite for `AuthTokenStorage`.
///
/// The suite makes no overlapping calls. Write your own test for overlapping calls: the later call must determine the stored tokens.
///
/// ```swift
/// @Test(arguments: AuthTokenStorageConformance.cases)
/// func conformance(_ testCase: AuthTokenStorageConformance.Case) async throws {
///     let vault = Vault()
///     try await testCase.run(vault) { try await vault.stored() }
/// }
/// ```
public struct AuthTokenStorageConformance: Sendable {
    /// The tokens in a storage; nil for a token that it does not have.
    public typealias StoredTokens = (refreshToken: String?, idToken: String?)

    /// One requirement; its subject is a storage, and a function that reads the stored tokens.
    public typealias Case = ConformanceCase<(storage: any AuthTokenStorage, stored: () async throws -> StoredTokens)>

    /// All requirements.
    public static let cases: [Case] = [
        Case("the tokens of a login are stored, and a login of another buyer replaces them") { storage, stored in
            try await expect(nil, nil, in: stored)
            try await storage.saveTokens(try response("r1", "i1"))
            try await expect("r1", "i1", in: stored)
            try await storage.saveTokens(try response("r2", "i2"))
            try await expect("r2", "i2", in: stored)
        },
        Case("a refresh without an ID token replaces the refresh token and keeps the ID token") { storage, stored in
            try await storage.saveTokens(try response("r1", "i1"))
            for token in ["r2", "r3"] { try await storage.saveTokens(try response(token, nil)) }
            try await expect("r3", "i1", in: stored)
        },
        Case("a used refresh token is not kept if the new tokens contain no refresh token") { storage, stored in
            try await storage.saveTokens(try response("r1", "i1"))
            try await storage.saveTokens(try response(nil, "i2"))
            try await expect(nil, "i2", in: stored)
        },
        Case("a sign-out removes all tokens, and can be repeated") { storage, stored in
            try await storage.removeTokens()
            try await storage.saveTokens(try response("r1", "i1"))
            for _ in 0..<2 {
                try await storage.removeTokens()
                try await expect(nil, nil, in: stored)
            }
        },
        Case("tokens that are saved after a sign-out do not bring back the old ID token") { storage, stored in
            try await storage.saveTokens(try response("r1", "i1"))
            try await storage.removeTokens()
            try await storage.saveTokens(try response("r2", nil))
            try await expect("r2", nil, in: stored)
        },
    ]

    private static func expect(
        _ refreshToken: String?,
        _ idToken: String?,
        in stored: () async throws -> StoredTokens,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await stored()
        #expect(found.refreshToken == refreshToken, sourceLocation: sourceLocation)
        #expect(found.idToken == idToken, sourceLocation: sourceLocation)
    }

    private static func response(
        _ refreshToken: String?,
        _ idToken: String?
    ) throws -> CustomerAccountAccessTokenResponse {
        var members = #""access_token":"a","expires_in":3600"#
        if let refreshToken { members += #","refresh_token":"\#(refreshToken)""# }
        if let idToken { members += #","id_token":"\#(idToken)""# }
        return try JSONDecoder().decode(CustomerAccountAccessTokenResponse.self, from: Data("{\(members)}".utf8))
    }
}

extension AuthTokenStorageConformance.Case {
    /// Tests the requirement with a new, empty storage.
    ///
    /// - Parameters:
    ///   - storage: The storage.
    ///   - stored: Reads the tokens as the app does after a restart.
    /// - Throws: The errors of the storage.
    public func run(
        _ storage: any AuthTokenStorage,
        stored: @escaping () async throws -> AuthTokenStorageConformance.StoredTokens
    ) async throws {
        try await body((storage, stored))
    }
}
