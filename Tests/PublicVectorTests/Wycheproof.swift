import FoundationEssentials
import IdentityKit
import Testing

/// A file of Wycheproof vectors: groups, each with a key and the tests that use it.
struct Wycheproof {
    struct Vector {
        let group: JSONObject
        let test: JSONObject
        let file: String

        var isValid: Bool { test["result"]?.string == "valid" }

        func bytes(_ name: String) throws -> [UInt8] {
            try Wycheproof.hexadecimal(try #require(test[name]?.string))
        }

        /// The bytes of a number of the group's public key.
        func keyBytes(_ name: String, in member: String = "publicKey") throws -> [UInt8] {
            try Wycheproof.hexadecimal(try #require(group[member]?[name]?.string))
        }

        /// The file, number and comment of the test, for messages.
        var label: String {
            "\(file) \(test["tcId"]?.number?.text ?? "?") \(test["comment"]?.string ?? "")"
        }
    }

    let vectors: [Vector]

    init(_ file: String) throws {
        let path = try #require(VectorFolder.wycheproof) + "/testvectors_v1/\(file)_test.json"
        let text = Array(try #require(FileManager.default.contents(atPath: path), "\(path)"))
        let document = try JSONValue(parsing: text, limits: JSONLimits(maximumBytes: 64 << 20))
        vectors = try #require(document["testGroups"]?.array).flatMap { group in
            let object = try #require(group.object)
            return try #require(object["tests"]?.array).map {
                Vector(group: object, test: try #require($0.object), file: file)
            }
        }
        #expect(vectors.count == document["numberOfTests"]?.number?.integer)
    }

    private static func hexadecimal(_ text: String) throws -> [UInt8] {
        let digits = try text.utf8.map { try #require(UInt8(String(UnicodeScalar($0)), radix: 16)) }
        try #require(digits.count % 2 == 0)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
