internal import GraphQLLanguage

package struct SourceFile: Sendable {
    /// The path of the file, relative to the folder of documents.
    package let name: String
    package let text: String

    static let maximumBytes = 1 << 20
    static let maximumCount = 2_000

    func parsed() throws(SyntaxFailure) -> GraphDocument {
        guard text.utf8.count <= Self.maximumBytes else {
            throw SyntaxFailure(location: nil, message: "The file is larger than 1 MiB.")
        }
        do { return try GraphParser.document(text) } catch {
            let isSubscription = error.message.utf8.starts(
                with: "Parse error on \"subscription\", expected a query".utf8
            )
            let hint = isSubscription ? " Shopify's APIs have no subscriptions." : ""
            throw SyntaxFailure(location: error.location, message: "\(error.message).\(hint)")
        }
    }

    struct SyntaxFailure: Error {
        let location: GraphLocation?
        let message: String
    }
}
