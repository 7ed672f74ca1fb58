import Foundation
import Testing

@Suite("The guides of server frameworks")
struct FrameworkGuideTests {
    /// The pages with samples that no test compiles, and how many each page has.
    ///
    /// Such a sample stands below `mark`.
    private static let notCompiled = [
        "Using/DevelopmentServer.md": 1, "Using/LoggingAndMetrics.md": 1, "Extending/TransportOfYourOwn.md": 1,
        "Using/Vapor.md": 2,
    ]
    private static let mark = "Not compiled by a test:\n\n```swift\n"

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func files(in folder: String, ending suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.map { "\(folder)/\($0)" }
    }

    /// The lines of a text without their indentation.
    private static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    @Test(
        "every sample is in a file that the framework's package compiles, or marked as not compiled",
        arguments: [("Hummingbird", 4), ("FlyingFox", 1), ("LoggingAndMetrics", 2), ("Vapor", 0)]
    )
    func samples(page: String, compiled: Int) throws {
        let sources = try ["hummingbird-shop", "flyingfox-shop"].flatMap { package in
            try Self.files(in: "Examples/\(package)", ending: ".swift").map { Self.lines(try Self.text($0)) }
        }
        let unmarked = try Self.text("Documentation/Using/\(page).md").replacing(Self.mark, with: "")
            .components(separatedBy: "```swift\n").dropFirst()
        #expect(unmarked.count == compiled)
        for sample in unmarked.map({ $0.components(separatedBy: "```")[0] }) {
            #expect(sources.contains { $0.contains(Self.lines(sample)) }, "\(page): \(sample)")
        }
    }

    @Test("samples that no test compiles are marked in the pages and counted in this file")
    func marks() throws {
        var found: [String: Int] = [:]
        for page in try Self.files(in: "Documentation", ending: ".md") {
            let count = try Self.text(page).components(separatedBy: Self.mark).count - 1
            if count > 0 { found[String(page.dropFirst("Documentation/".count))] = count }
        }
        #expect(found == Self.notCompiled)
    }

    @Test("the script Tests/Proofs/nested-packages names only test files that exist")
    func browserTests() throws {
        let files = try Self.text("Tests/Proofs/nested-packages").matches(of: /Tests\/[A-Za-z\/]+\.swift/)
            .map { String($0.output) }
        #expect(files.contains("Tests/WebShopTests/SignInInTheBrowserTests.swift"))
        for file in files {
            #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: file).path), "\(file)")
        }
    }
}
