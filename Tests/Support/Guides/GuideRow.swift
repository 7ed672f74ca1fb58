public import Testing

/// Marks a test as a proof of rows in a guide's table.
///
/// `GuideTests` compares the marks with the table in both directions.
public struct GuideRow: TestTrait {
    /// The ids of the rows.
    public let ids: [String]
}

extension Trait where Self == GuideRow {
    /// The rows of the table in `MigratingFromTheMobileBuySDK.md` that this test proves, such as `.row("C2")`.
    public static func row(_ ids: String...) -> Self { GuideRow(ids: ids) }
}
