internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyCustomerAccount
internal import ShopifyGraphQL
internal import ShopifyStorefront

struct CheckCommand: Command {
    static let name = "check"
    static let summary =
        "Test the configuration: members, secrets, redirect URIs, discovery, keys, clocks, store and shop."
    static let options: [Option] = []
    static let examples = [
        "identity-lab check --config identity.json          one line for each point, with what to do",
        "identity-lab check --json                          one JSON object a line",
    ]

    init(_ arguments: Arguments) {}

    func run(_ lab: Lab) async throws {
        let report = CheckReport(lab.output)
        let configuration = try lab.configuration()
        report.ok("configuration", "file", "\(lab.configurationPath ?? "") is valid JSON.")
        let clocks = ClockReadings(try Deployment.systemTransport())
        let environment = IdentityEnvironment(transport: clocks, observers: lab.observers)
        let providers = await ProviderCheck(report: report, environment: environment).run(configuration)
        await StoreCheck(report: report, environment: environment, path: lab.arguments[.store])
            .run(configuration.store, providers)
        if let section = configuration.storefront {
            await report.point("storefront", "shop") {
                let client = StorefrontClient(
                    configuration: try StorefrontConfiguration(section),
                    environment: environment,
                    retry: .none
                )
                let response = try await client.execute(ShopInfo())
                let (shop, metadata) = (response.data, response.metadata)
                guard let served = metadata.servedVersion else { return "The Storefront API of \(shop.name) responds." }
                return metadata.isFallForward
                    ? "The Storefront API of \(shop.name) serves version \(served.rawValue) instead of \(metadata.requestedVersion.rawValue)."
                    : "The Storefront API of \(shop.name) serves version \(served.rawValue)."
            }
        }
        if let section = configuration.customerAccount {
            await report.point("customerAccount", "endpoint") {
                let client = CustomerAccountClient(
                    configuration: try CustomerAccountConfiguration(section),
                    environment: environment,
                    retry: .none
                )
                try await client.discover()
                return client.configuration.endpoint.map {
                    "The endpoint at \($0.host) is configured. It was not called, because each call needs a buyer's access token."
                }
                    ?? "The Customer Account API was found."
            }
        }
        clocks.report(to: report)
        try Task.checkCancellation()
        try report.finish()
    }
}
