import TestGuides
import Testing

@Suite("The samples in documentation comments and pages")
struct CommentSampleTests {
    private static let folder = "Tests/CommentSampleTests/Samples"

    private static func check(_ samples: [Sample], in files: [SourceText]) {
        for sample in samples {
            let isCompiled = files.contains(where: sample.isPart)
            #expect(
                isCompiled,
                "The sample at \(sample.place) is in no compiled file. Change its copy, or add one to \(folder)."
            )
        }
    }

    @Test("every Swift sample of a documentation comment is code that compiles")
    func comments() throws {
        let samples = try SourceText.files(in: "Sources", ending: ".swift").flatMap(Sample.samples(ofComments:))
        #expect(samples.count > 80)
        Self.check(samples, in: try SourceText.files(in: Self.folder, ending: ".swift"))
    }

    @Test("every Swift sample of a page is code that compiles, or marked as not compiled", .row("A9"))
    func pages() throws {
        let pages = try [SourceText("README.md")] + SourceText.files(in: "Documentation", ending: ".md")
        let samples = pages.map { ($0.path, Sample.samples(ofPage: $0)) }
        let marked = samples.map { ($0, $1.count(where: \.isMarked)) }.filter { $1 > 0 }
        #expect(
            Dictionary(uniqueKeysWithValues: marked) == [
                "README.md": 1,
                "Documentation/Extending/TransportOfYourOwn.md": 1,
                "Documentation/Operating/PostgreSQL.md": 1,
                "Documentation/Using/DevelopmentServer.md": 1,
                "Documentation/Using/LoggingAndMetrics.md": 1,
                "Documentation/Using/Vapor.md": 2,
            ]
        )
        let compiled = samples.flatMap { $1 }.filter { !$0.isMarked }
        #expect(compiled.count > 100)
        // The folder of the copies comes first, because most samples are found there.
        let files = try [Self.folder, "Tests", "Examples"].flatMap { try SourceText.files(in: $0, ending: ".swift") }
        Self.check(compiled, in: files)
    }
}
