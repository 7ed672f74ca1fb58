internal import IdentityHTTP
internal import IdentityKit

/// A response, and the cache entry to store after the response was read successfully.
struct GraphQLDelivery {
    let response: GraphQLResponse
    let origin: GraphQLOrigin
    var cacheEntry: (key: ResponseCacheKey, body: [UInt8])?
}

extension GraphQLExecutor {
    /// Gets a response from the network or the cache; `needsData` is false if the caller accepts a response with errors and without data.
    func answer<Operation: GraphQLOperation>(
        to operation: Operation,
        _ call: GraphQLCall,
        needsData: Bool
    ) async throws(IdentityError) -> GraphQLDelivery {
        let document = Operation.document
        let variables = variables(of: operation, call)
        let start = environment.clock.elapsed
        guard let cache, let key = cacheKey(document, variables, call) else {
            guard call.cachePolicy != .cacheOnly else { throw Self.cacheMiss(isCached: false) }
            do throws(GraphQLFailure) {
                return GraphQLDelivery(response: try await fetch(document, variables, call).answer, origin: .network)
            } catch {
                throw error.error(for: document)
            }
        }
        let secrets = RequestSecrets(variables, secrets: call.secrets)
        switch call.cachePolicy {
        case .networkOnly, .networkFirst: break
        case .cacheOnly:
            guard let hit = await hit(cache, key, youngerThan: nil, secrets) else {
                throw Self.cacheMiss(isCached: true)
            }
            reporter.report(.cached(failure: nil), of: document, since: start)
            return GraphQLDelivery(response: hit.answer, origin: .cache(age: hit.age))
        case .cacheFirst(let expiry):
            guard let hit = await hit(cache, key, youngerThan: expiry, secrets) else { break }
            reporter.report(.cached(failure: nil), of: document, since: start)
            return GraphQLDelivery(response: hit.answer, origin: .cache(age: hit.age))
        }
        let failure: GraphQLFailure
        var partial: GraphQLDelivery?
        do throws(GraphQLFailure) {
            let (answer, body) = try await fetchOnce(key, document, variables, call)
            var delivery = GraphQLDelivery(response: answer, origin: .network)
            guard answer.isFailure else {
                // A response with errors is not stored, because its errors may be temporary.
                if answer.errors.isEmpty, answer.data != nil { delivery.cacheEntry = (key, body) }
                return delivery
            }
            if !needsData { partial = delivery }
            failure = answer.failure(endpoint, of: document.kind)
        } catch {
            failure = error
        }
        // A cached response replaces a temporary failure. Any other failure, such as a rejected token, must reach the caller.
        if case .networkFirst(let expiry) = call.cachePolicy, failure.error.kind == .retryLater,
            let hit = await hit(cache, key, youngerThan: expiry, secrets)
        {
            reporter.report(.cached(failure: failure.error.code), of: document, since: start)
            return GraphQLDelivery(response: hit.answer, origin: .stale(age: hit.age, because: failure.error))
        }
        if let partial { return partial }
        throw failure.error(for: document)
    }

    /// Gets a response from the network; with `cacheFirst`, simultaneous calls for the same cache key share one request.
    private func fetchOnce(
        _ key: ResponseCacheKey,
        _ document: GraphQLDocument,
        _ variables: JSONObject,
        _ call: GraphQLCall
    ) async throws(GraphQLFailure) -> (answer: GraphQLResponse, body: [UInt8]) {
        guard case .cacheFirst = call.cachePolicy else { return try await fetch(document, variables, call) }
        do {
            return try await misses.run(key) { try await self.fetch(document, variables, call) }.result.get()
        } catch {
            throw (error as? GraphQLFailure) ?? GraphQLFailure(IdentityError.wrapping(error), .refused)
        }
    }

    func keep(_ delivery: GraphQLDelivery, of call: GraphQLCall) async {
        guard let cache, let (key, body) = delivery.cacheEntry else { return }
        await cache.store(
            CachedResponse(
                body: body,
                storedAt: environment.clock.elapsed,
                metadata: delivery.response.metadata,
                session: call.session
            ),
            for: key
        )
    }

    private func cacheKey(
        _ document: GraphQLDocument,
        _ variables: JSONObject,
        _ call: GraphQLCall
    ) -> ResponseCacheKey? {
        guard call.cachePolicy != .networkOnly, document.kind == .query, !document.isPersonal, !call.isPersonal,
            // A hand-written operation can pass the buyer's token in its own variable `buyer`. The response to this operation is personal.
            variables["buyer"]?.isNull ?? true
        else { return nil }
        return ResponseCacheKey(
            endpoint: endpoint,
            identity: call.identity,
            session: call.session,
            document: document,
            variables: variables
        )
    }

    private func hit(
        _ cache: any ResponseCache,
        _ key: ResponseCacheKey,
        youngerThan expiry: Duration?,
        _ secrets: RequestSecrets
    ) async -> (answer: GraphQLResponse, age: Duration)? {
        guard let stored = await cache.response(for: key) else { return nil }
        let age = environment.clock.elapsed - stored.storedAt
        if let expiry, age >= expiry { return nil }
        do throws(GraphQLFailure) {
            return (try GraphQLResponse(stored, from: endpoint, hiding: secrets), max(age, .zero))
        } catch {
            return nil
        }
    }

    private static func cacheMiss(isCached: Bool) -> IdentityError {
        IdentityError(
            .rejected,
            .cacheMiss,
            isCached
                ? "The cached response for this call is missing or invalid, and the cache policy allows no request."
                : "The cache policy allows no request, but the client has no cache, or responses of this call are never stored.",
            hint: isCached
                ? "Use a cache policy that allows a request, such as cacheFirst."
                : "For a mutation, a personal document or a call for a buyer, use a cache policy that allows a request. For other calls, "
                    + "give the client a cache."
        )
    }
}
