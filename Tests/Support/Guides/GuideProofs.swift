public import Foundation

/// The tests in the sources that are marked with `.row`, found by their text.
public struct GuideProofs: Sendable {
    /// A marked test.
    public struct Proof: Sendable {
        /// The name of the test's file.
        public let file: String
        /// The test's display name.
        public let name: String
        /// The ids of the rows that the test proves.
        public let rows: [String]
    }

    /// All marked tests.
    public let proofs: [Proof]

    /// Reads the tests below a folder.
    public init(in folder: URL) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        proofs = try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.flatMap { path in
            let text = String(decoding: try Data(contentsOf: folder.appending(path: path)), as: UTF8.self)
            return text.contains(".row(")
                ? Self.proofs(in: text, file: String(path.split(separator: "/").last ?? "")) : []
        }
    }

    private static func proofs(in text: String, file: String) -> [Proof] {
        text.components(separatedBy: "@Test(").dropFirst().compactMap { rest in
            // The attribute ends where its function begins.
            let attribute = rest.components(separatedBy: "func ")[0]
            guard let name = attribute.firstMatch(of: /^\s*"((?:[^"\\]|\\.)*)"/)?.1 else { return nil }
            let rows = attribute.matches(of: /\.row\(([^)]*)\)/).flatMap { $0.1.matches(of: /[A-E][0-9]+/) }
            return rows.isEmpty ? nil : Proof(file: file, name: String(name), rows: rows.map { String($0.output) })
        }
    }
}
