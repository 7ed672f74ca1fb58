internal import IdentityHTTP
internal import IdentityKit

extension CustomerAccountAPI {
    func discover(_ url: HTTPURL) async throws -> HTTPURL {
        let response = try await httpClient.document(
            at: url,
            following: 3,
            headers: configuration.origin.map { [("Origin", $0)] } ?? [],
            within: configuration.hosts,
            asking: "The shop's customer-account-api document",
            setting: "\(configuration.endpointMember) to the address of the API"
        )
        if response.status == 404, let fallback = configuration.fallback { return fallback }
        guard response.status == 200 else {
            let isOutage = response.isOutage
            throw discoveryError(
                isOutage ? .retryLater : .configuration,
                isOutage ? .providerUnavailable : .discoveryFailed,
                "could not be fetched (HTTP \(response.status))",
                response
            )
        }
        guard let text = (try? JSONValue(parsing: response.body))?["graphql_api"]?.string,
            let api = try? HTTPURL(text), api.isSecure(orLoopback: configuration.allowsLoopbackHTTP),
            let versioned = configuration.version.replacingVersion(in: api)
        else {
            throw discoveryError(
                .rejected,
                .discoveryFailed,
                "is invalid: its member graphql_api is missing, or is not a valid https URL",
                response
            )
        }
        guard configuration.hosts.accepts(versioned) else {
            throw configuration.hosts.refusal(
                of: versioned,
                "The shop's customer-account-api document names, as graphql_api,"
            )
        }
        return versioned
    }

    private func discoveryError(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ problem: String,
        _ response: HTTPResponse
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            "The shop's customer-account-api document \(problem).",
            hint: kind == .retryLater
                ? "Try again later."
                : "Check that the shop is open, and that shopDomain is its domain. If both are right, set "
                    + "\(configuration.endpointMember) to the URL of the API.",
            reference: "Customer Account API reference, discovery",
            retryAfter: kind == .retryLater ? response.headers.retryAfter : nil,
            providerResponse: IdentityError.ProviderResponse(status: response.status)
        )
    }
}
