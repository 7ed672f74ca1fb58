import FoundationEssentials
import IdentityKit
import IdentityOIDC

/// Checks claims of logout tokens with a valid signature.
///
/// An accepted token has a sub or a sid, is marked as a logout token, and is valid for a day at most.
enum LogoutTokenFuzz {
    static func check(_ input: [UInt8]) throws {
        guard input.count <= 20_000 else { return }
        let notice: LogoutTokenClaims
        do {
            let token = try LogoutTokenValidator.read(try Forge.token(input), expecting: Forge.expectations())
            notice = try token.verify(Forge.keys.get())
        } catch let error as IdentityError {
            return try require(
                error.kind == .rejected && error.reference != nil,
                "a refusal of the wrong kind or without a reference"
            )
        }
        guard let read = ReadClaims(input) else { return }
        try read.judge()
        try require(
            read.isText("iss", notice.issuer) && read.isText("jti", notice.tokenID),
            "the issuer or jti differs"
        )
        try require(notice.subject.map { read.isText("sub", $0) } ?? !read.has("sub"), "the subject differs")
        try require(notice.providerSessionID.map { read.isText("sid", $0) } ?? !read.has("sid"), "the sid differs")
        try require(notice.subject != nil || notice.providerSessionID != nil, "neither sub nor sid")
        try require(read.has("events") && !read.has("nonce"), "an ID token was accepted as a logout token")
        try require(
            notice.expiresAt > Forge.now && notice.expiresAt <= Forge.now + 86_520,
            "the lifetime is out of range"
        )
    }
}
