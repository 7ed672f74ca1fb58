import Foundation
import IdentityKit
import TestDirectories
import TestGuides
import Testing

/// `Documentation/configuration.schema.json`, compared with what the program knows.
@Suite("The schema of the configuration", .timeLimit(.minutes(10)))
struct SchemaTests {
    private static let schema: Result<JSONValue, any Error> = Result {
        try JSONValue(parsing: Array(try Repository.text("Documentation/configuration.schema.json").utf8))
    }

    /// The members that the schema has at a place.
    private func members(_ path: String...) throws -> [String] {
        var value = try Self.schema.get()
        for name in path { value = try #require(value[name], "\(name)") }
        return try #require(value["properties"]?.object).members.map(\.name).sorted()
    }

    /// The members that the program knows, from the hint of the error about an unknown member named `?`.
    private func known(_ configuration: String) async throws -> [String] {
        let folder = try TemporaryDirectory("lab-schema")
        defer { folder.remove() }
        let file = folder.path(of: "lab.json")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        let ended = try await LabProcess(
            ["login", "--config", file, "--callback", "stdin", "--json"],
            environment: ["IDENTITY_STORE_KEY": String(repeating: "ab", count: 32)]
        )
        .ended()
        let error = try ended.event("error")
        #expect(error["message"]?.string?.contains("? is not known") == true, "\(ended)")
        let hint = try #require(error["hint"]?.string)
        let start = "Known members: "
        let sentence = try #require(hint.split(separator: ". ").first { $0.hasPrefix(start) })
        let list = sentence.dropFirst(start.count)
        return list.split(separator: ", ").map(String.init).sorted()
    }

    @Test(
        "the schema lists exactly the members that the program knows for each kind of provider",
        arguments: ["shopify", "bolt", "bolt-sfcc", "openid"]
    )
    func provider(_ kind: String) async throws {
        let found = try await known(#"{"providers":{"p":{"kind":"\#(kind)","?":1}}}"#)
        #expect(found == (try members("$defs", kind)))
        let endpoints = try await known(
            #"{"providers":{"p":{"kind":"\#(kind)",\#(kind == "openid" ? #""issuer":"i","clientID":"c","# : "")"endpoints":{"?":1}}}}"#
        )
        #expect(endpoints == (try members("$defs", kind, "properties", "endpoints")))
    }

    @Test("the schema lists exactly the members that the program knows for the file and its sections")
    func sections() async throws {
        #expect(try await known(#"{"?":1}"#) == (try members()))
        #expect(try await known(#"{"store":{"?":1}}"#) == (try members("properties", "store")))
        let folder = try TemporaryDirectory("lab-schema-store")
        defer { folder.remove() }
        let store = folder.path(of: "identity.sqlite")
        #expect(
            try await known(#"{"store":{"path":"\#(store)"},"storefront":{"?":1}}"#)
                == (try members("properties", "storefront"))
        )
        #expect(
            try await known(#"{"store":{"path":"\#(store)"},"customerAccount":{"?":1}}"#)
                == (try members("properties", "customerAccount"))
        )
    }
}
