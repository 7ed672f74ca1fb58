import FoundationEssentials
import Testing

@Suite("Documentation")
struct DocumentationTests {
    private func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    @Test("every error code of the core stands in the catalogue")
    func catalogue() throws {
        let source = try text("Sources/IdentityKit/Errors/IdentityErrorCodes.swift")
        let catalogue = try text("Documentation/Errors.md")
        let codes = source.split(separator: "rawValue: \"").dropFirst().compactMap { $0.split(separator: "\"").first }
        #expect(codes.count > 40)
        for code in codes { #expect(catalogue.contains("`\(code)`"), "missing: \(code)") }
    }
}
