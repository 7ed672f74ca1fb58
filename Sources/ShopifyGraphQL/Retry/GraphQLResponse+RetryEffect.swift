extension GraphQLResponse {
    /// The effect of a failed operation according to its errors, and the wait that Shopify requests.
    ///
    /// It is nil for an operation that did not fail, and for errors after which the operation must not be repeated.
    func retryEffect(_ kind: GraphQLDocument.Kind) -> (effect: GraphQLFailure.Effect, asked: Duration?)? {
        guard isFailure else { return nil }
        let asked = [metadata.cost?.pause, retryAfter].compactMap(\.self).max()
        let isThrottled = errors.contains { $0.code == .throttled }
        let isBroken = errors.contains { $0.code == .internalServerError }
        if kind == .query {
            return isThrottled ? (GraphQLFailure.Effect.none, asked) : isBroken ? (.unknown, asked) : nil
        }
        // No mutation field was executed only if every error is THROTTLED and has a path of at most one name, that of a mutation
        // field. A longer path shows that the mutation field was executed, with any error code.
        if errors.allSatisfy({ $0.code == .throttled && $0.path.count <= 1 }) { return (.none, asked) }
        // Without the member `data`, a path points into the document and proves no execution. After an internal error (`isBroken`),
        // Shopify may nevertheless have executed the mutation.
        let isInside = hasData && errors.contains { $0.path.count > 1 }
        return isThrottled || isBroken || isInside ? (.unknown, asked) : nil
    }

    /// The effect of a mutation with the user error `SERVICE_UNAVAILABLE`; nil for every other response.
    ///
    /// With this user error Shopify has changed nothing, so the mutation may be repeated.
    func unavailable(_ document: GraphQLDocument) -> (effect: GraphQLFailure.Effect, asked: Duration?)? {
        // If the operation has several mutation fields, Shopify may have executed another one.
        guard document.kind == .mutation, let field = data?.onlyMember, let errors = try? field.member("userErrors"),
            !errors.isNull, var remaining = try? errors.elements()
        else { return nil }
        while let error = remaining.next() {
            // A list with another element is unreadable for the operation too. Each further error of this kind would cost the time to
            // find the element's index.
            guard let code = try? error.member("code") else { return nil }
            if code.isText("SERVICE_UNAVAILABLE") { return (GraphQLFailure.Effect.none, nil) }
        }
        return nil
    }
}
