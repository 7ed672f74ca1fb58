public import ShopifyGraphQL

extension CartUserError: GraphQLReadable {
    /// Reads code, field and message.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        try self.init(AnswerNode(node))
    }
}

extension CartWarning: GraphQLReadable {
    /// Reads code, message and target.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        try self.init(AnswerNode(node))
    }
}
