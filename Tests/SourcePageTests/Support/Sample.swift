import Testing

/// The row of `Documentation/Using/SourcePages.md` to which a test belongs.
struct Sample: TestTrait {
    let row: String
}

extension Trait where Self == Sample {
    static func sample(_ row: String) -> Sample { Sample(row: row) }
}
