import FoundationEssentials
import IdentityKit
import IdentityOIDC

/// Bytes as claims of a logout token behind a good signature: what is accepted names somebody, says that it is one, and lives
/// for a day at most.
enum LogoutTokenFuzz {
    static func check(_ input: [UInt8]) throws {
        guard input.count <= 20_000 else { return }
        let notice: LogoutNotice
        do {
            notice = try LogoutTokenValidator.validate(
                try Forge.token(input),
                keys: Forge.keys.get(),
                expecting: Forge.expectations()
            )
        } catch let error as IdentityError {
            return try require(error.kind == .rejected && error.reference != nil, "a refusal of another kind")
        }
        guard let read = ReadClaims(input) else { return }
        try read.judge()
        try require(read.isText("iss", notice.issuer) && read.isText("jti", notice.tokenID), "another issuer or jti")
        try require(notice.subject.map { read.isText("sub", $0) } ?? !read.has("sub"), "another subject")
        try require(notice.providerSessionID.map { read.isText("sid", $0) } ?? !read.has("sid"), "another session")
        try require(notice.subject != nil || notice.providerSessionID != nil, "it names nobody")
        try require(read.has("events") && !read.has("nonce"), "an ID token was taken for a logout token")
        try require(notice.expiresAt > Forge.now && notice.expiresAt <= Forge.now + 86_520, "a life without bounds")
    }
}
