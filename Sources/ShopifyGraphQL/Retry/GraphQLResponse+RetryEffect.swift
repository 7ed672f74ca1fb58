extension GraphQLResponse {
    /// The effect of a failed operation, and the wait that Shopify requests; nil after a success, or if the errors permit no repetition.
    func retryEffect(_ kind: GraphQLDocument.Kind) -> (effect: GraphQLFailure.Effect, asked: Duration?)? {
        guard isFailure else { return nil }
        let asked = requestedWait
        let isThrottled = errors.contains { $0.code == .throttled }
        let isBroken = errors.contains { $0.code == .internalServerError }
        if kind == .query {
            return isThrottled ? (GraphQLFailure.Effect.none, asked) : isBroken ? (.unknown, asked) : nil
        }
        // Shopify executed no mutation field if every error is THROTTLED and has a path of at most one name, that of the field. A
        // longer path, with any code, shows that Shopify executed the field.
        if errors.allSatisfy({ $0.code == .throttled && $0.path.count <= 1 }) { return (.none, asked) }
        // In a response without the member `data`, a path points into the document, so a long path does not show an execution.
        let isInside = hasData && errors.contains { $0.path.count > 1 }
        return isThrottled || isBroken || isInside ? (.unknown, asked) : nil
    }

    /// The effect of a mutation whose only field has the user error `SERVICE_UNAVAILABLE`; nil for every other response.
    ///
    /// With this user error Shopify has changed nothing, so the mutation may be repeated.
    func unavailable(_ document: GraphQLDocument) -> (effect: GraphQLFailure.Effect, asked: Duration?)? {
        // An operation with several mutation fields is not repeated, because Shopify may have executed one of the fields.
        guard document.kind == .mutation, let field = data?.onlyMember, let errors = try? field.member("userErrors"),
            !errors.isNull, var remaining = try? errors.elements()
        else { return nil }
        while let error = remaining.next() {
            // The search ends at the first element that is not an object. For such an element, `member` computes a path by walking
            // over all elements before it, so a long list of such elements would take quadratic time.
            guard let code = try? error.member("code") else { return nil }
            if code.isText("SERVICE_UNAVAILABLE") { return (GraphQLFailure.Effect.none, nil) }
        }
        return nil
    }
}
