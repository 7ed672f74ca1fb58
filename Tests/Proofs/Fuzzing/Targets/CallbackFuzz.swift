import IdentityKit
import IdentityOIDC

/// Checks that a callback's fields equal its decoded bytes, and that an accepted callback has the login's state, issuer and one code.
enum CallbackFuzz {
    static func check(_ input: [UInt8]) throws {
        if let callback = try? LoginCallback(form: input) { try judge(callback, query: input) }
        let text = String(decoding: input, as: UTF8.self)
        guard let callback = try? LoginCallback(url: text) else { return }
        let beforeFragment = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let mark = try require(beforeFragment.firstIndex(of: UInt8(ascii: "?")), "a query without a question mark")
        try judge(callback, query: Array(beforeFragment[beforeFragment.index(after: mark)...]))
    }

    private static func judge(_ callback: LoginCallback, query: [UInt8]) throws {
        let fields = callback.fields.map { ($0.name, $0.value.reveal()) }
        let decoded = query.split(separator: UInt8(ascii: "&")).map { piece in
            let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decode(halves.first), decode(halves.count > 1 ? halves[1] : []))
        }
        try require(fields.count == decoded.count, "the number of fields differs")
        for (field, expected) in zip(fields, decoded) {
            try require(expected.0?.isIdentical(to: field.0) ?? false, "a name differs")
            try require(expected.1?.isIdentical(to: field.1) ?? false, "a value differs")
        }
        for requiresIssuer in [false, true] {
            guard let code = try accepted(callback, requiresIssuer) else { continue }
            func values(_ name: String) -> [String] {
                fields.filter { $0.0.isIdentical(to: name) }.map(\.1)
            }
            let issuers = values("iss")
            try require(values("state").map { Array($0.utf8) } == [Array("s".utf8)], "accepted without the state")
            try require(values("error").isEmpty, "an error was accepted")
            try require(issuers.isEmpty ? !requiresIssuer : issuers == ["https://id.example"], "the issuer differs")
            try require(values("code").map { Array($0.utf8) } == [code.revealBytes()], "the code differs")
            try require((1...8192).contains(code.count), "the code is too long")
        }
    }

    private static func accepted(_ callback: LoginCallback, _ requiresIssuer: Bool) throws -> Secret? {
        do {
            let attempt = LoginAttempt(
                provider: "id",
                state: Secret("s"),
                issuer: "https://id.example",
                createdAt: Forge.now,
                expiresAt: Forge.now
            )
            return try AuthorizationResponse.code(
                in: callback,
                for: attempt,
                accepting: .exactly(["https://id.example"]),
                requiresIssuer: requiresIssuer
            )
        } catch {
            try require(error.reference != nil, "a refusal without a reference")
            return nil
        }
    }

    /// Decodes independently of the decoder under test; Foundation's decoder would drop a byte order mark.
    private static func decode(_ piece: ArraySlice<UInt8>?) -> String? {
        let spaced = (piece ?? []).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let runs = spaced.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        var bytes = Array(runs.first ?? [])
        for run in runs.dropFirst() {
            guard let byte = UInt8(String(decoding: run.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes += [byte] + run.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
