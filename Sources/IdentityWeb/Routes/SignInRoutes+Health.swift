public import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// The response to a readiness probe: status 200 if this process can serve requests, else 503.
    ///
    /// This function reads the store once and calls no provider. The JSON says whether the store can be read, and for each provider the
    /// state of its circuit breaker and the age of its key set. The JSON contains no secret. If the names of the providers must stay
    /// private, use a path that only the load balancer can request:
    ///
    /// ```swift
    /// case "/health": return await routes.health()
    /// ```
    public func health() async -> WebResponse {
        let readiness = await sessions.readiness()
        var providers = JSONObject()
        for provider in readiness.providers {
            var object: JSONObject = ["breaker": .string(provider.pause == nil ? "closed" : "open")]
            object["retry_after"] = provider.pause.map { .integer(Int($0.components.seconds) + 1) }
            let keys: (state: String, age: Duration?)? =
                switch provider.keys {
                case nil: nil
                case .notFetched: ("not_fetched", nil)
                case .fresh(let age): ("fresh", age)
                case .expired(let age): ("expired", age)
                }
            object["keys"] = keys.map { .string($0.state) }
            object["keys_age"] = keys?.age.map { .integer(Int($0.components.seconds)) }
            providers[provider.name] = .object(object)
        }
        let object: JSONObject = [
            "ready": .bool(readiness.isReady),
            "store": .string(readiness.storeProblem?.rawValue ?? "ok"),
            "providers": .object(providers),
        ]
        return json(object, status: readiness.isReady ? 200 : 503)
    }
}
