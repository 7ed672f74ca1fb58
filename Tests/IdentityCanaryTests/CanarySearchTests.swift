import Foundation
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Testing

/// Tests of the search itself, on which the other tests depend.
@Suite("The search for leaked secrets")
struct CanarySearchTests {
    private struct Plain {
        let secret: String
        let others = [1, 2]
    }

    private final class Kept {
        let secret: String
        init(_ secret: String) { self.secret = secret }
    }

    private struct Careless: CustomStringConvertible, CustomReflectable {
        let secret: String
        var description: String { "Careless" }
        var customMirror: Mirror { Mirror(self, children: ["hidden": Talkative(secret: secret)]) }
    }

    private struct Talkative: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let secret: String
        var description: String { "token \(secret)" }
        var debugDescription: String { "Talkative" }
        var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    @Test("a secret is found in every kind of value")
    func values() {
        let canary = SecretCanary()
        let mark = canary.plant("mark")
        let values: [Any] = [
            mark, Optional(["a": mark]) as Any, Plain(secret: mark), Kept(mark), [Plain(secret: mark)], (1, mark),
            ["x": Kept(mark)],
            Careless(secret: mark), Talkative(secret: mark), Array(mark.utf8), [Array(mark.utf8)],
            ["bytes": Data(mark.utf8).map { $0 }],
            NSError(domain: mark, code: 1), Array(mark.utf8)[...], Result<String, any Error>.success(mark),
            Substring(mark),
        ]
        for value in values { #expect(canary.findings(in: value) == [mark], "\(type(of: value))") }
        let list = Array(mark.utf8).map(String.init)
        #expect(canary.findings(inText: "[\(list.joined(separator: ", "))]") == [mark])
        #expect(canary.findings(inText: list.map { "      - \($0)\n" }.joined()) == [mark])
        #expect(canary.findings(in: Secret(mark)) == [])
        #expect(canary.findings(in: Plain(secret: "other")) == [])
    }

    @Test("a secret is found in every encoding at any position of a text or file")
    func encodings() {
        let canary = SecretCanary()
        let watched = "s3cr3t/With+awk\"ward=signs&<mor'e>"
        canary.watch(Secret(watched))
        let planted = canary.plant("pl/nt+d")
        for secret in [watched, planted] {
            let bytes = Array(secret.utf8)
            let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
            var forms = [
                secret, hexadecimal, hexadecimal.uppercased(), FormEncoding.escape(secret),
                FormEncoding.escape(secret).replacing(/%../) { $0.output.lowercased() },
                FormEncoding.escape(FormEncoding.escape(secret)),
                String(decoding: JSONValue.string(secret).serialized, as: UTF8.self),
                secret.replacing("/", with: #"\/"#),
                secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                    .replacing("\"", with: "&quot;")
                    .replacing("'", with: "&#39;"),
            ]
            for front in 0..<4 {
                for back in 0..<4 {
                    let text =
                        Array(repeating: UInt8(ascii: ":"), count: front) + bytes + Array(repeating: 0xFF, count: back)
                    forms += [Base64.encode(text), Base64URL.encode(text)]
                }
            }
            for form in forms {
                #expect(canary.findings(inText: form) == [secret], "\(form)")
                #expect(canary.findings(in: [0xFF, 0] + Array("xx\(form)yy".utf8) + [0]) == [secret], "\(form)")
            }
        }
        #expect(canary.findings(inText: "\(watched.dropLast()) \(planted.dropFirst(12).dropLast(12))") == [])
    }

    @Test("a secret that is not UTF-8 is found as bytes, in base64 and in hexadecimal")
    func binary() {
        let canary = SecretCanary()
        let bytes = (0..<16).map { UInt8(0xF0 ^ $0) }
        canary.watch(Secret(bytes: bytes))
        #expect(canary.count == 1)
        #expect(canary.findings(in: [1] + bytes + [2]).count == 1)
        #expect(canary.findings(in: bytes as Any).count == 1)
        #expect(canary.findings(inText: "key \(Base64URL.encode(bytes))").count == 1)
        #expect(canary.findings(inText: "key \(bytes.map { String(format: "%02x", $0) }.joined())").count == 1)
    }

    @Test("a shortened planted secret is found, and two secrets are distinguished")
    func parts() {
        let canary = SecretCanary()
        let (first, second) = (canary.plant("token"), canary.plant("token"))
        #expect(canary.count == 2)
        #expect(canary.findings(inText: "\(first.prefix(10))…") == [first])
        #expect(canary.findings(inText: "…\(second.suffix(10))") == [second])
        #expect(canary.findings(inText: "\(first)\(second)") == [first, second])
        #expect(canary.findings(inText: "\(first.prefix(9))… …\(second.suffix(9))") == [])
    }

    @Test("a leak is found in values, errors, their causes and the provider's texts")
    func witness() {
        let witness = Witness(SecretCanary())
        let mark = witness.canary.plant("mark")
        #expect(witness.findings() == [])
        let response = IdentityError.ProviderResponse(
            error: "invalid_grant",
            errorDescription: "the code \(mark) is spent"
        )
        let leaks: [any Error] = [
            IdentityError(.rejected, .invalidGrant, mark), IdentityError(.rejected, .invalidGrant, "", hint: mark),
            IdentityError(.rejected, .invalidGrant, "", providerResponse: response),
            IdentityError(.rejected, .invalidGrant, "", cause: NSError(domain: mark, code: 1)),
            NSError(domain: mark, code: 1),
        ]
        for leak in leaks {
            witness.see(leak, "error")
            #expect(!witness.findings().isEmpty, "\(leak)")
        }
        witness.see(["a": mark], "value")
        #expect(witness.findings().count == 1)
        #expect(witness.codes == ["invalid_grant"])
    }
}
