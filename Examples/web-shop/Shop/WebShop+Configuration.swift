public import IdentityKit
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentitySetup
internal import ShopifyGraphQL
internal import ShopifyStorefront

extension WebShop {
    /// Opens the shop of a configuration file.
    ///
    /// The store is a SQLite file or, if the section `store` names a PostgreSQL database, that database.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, with the sections `providers`, `store` and `storefront`; `customerAccount` adds profile,
    ///     addresses and orders.
    ///   - publicOrigin: The origin under which browsers reach the shop.
    ///   - environment: Transport, clock and randomness; by default the system's.
    ///   - bridge: Receives the events of sessions, GraphQL operations and carts; none by default.
    /// - Returns: The shop.
    /// - Throws: `IdentityError` when a section is missing or invalid, or the store cannot be opened.
    public static func open(
        _ configuration: IdentityConfiguration,
        publicOrigin: String,
        environment: IdentityEnvironment? = nil,
        events bridge: EventBridge? = nil
    ) async throws -> WebShop {
        var options = IdentitySetup.Options()
        // At a sign-in, the lines of the guest's cart are added to the cart that the buyer already has.
        options.carts.merge = .intoCustomerCart
        if let bridge {
            options.observers = [bridge]
            options.graphQLObservers = [bridge]
            options.carts.onEvent = bridge.cartEvent
        }
        let setup = try await IdentitySetup.open(configuration, environment: environment, options: options) { section in
            guard let section, section.memberNames.contains("postgres") else {
                return try await SQLiteStore.open(SQLiteStore.Configuration(section))
            }
            #if PostgreSQL
            return try await PostgresStore.open(PostgresStore.Configuration(section))
            #else
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "`store.postgres` names a PostgreSQL database, and this program was built without the package trait PostgreSQL.",
                hint:
                    "Install libpq-dev. Build this program again, with Examples/web-shop/run or with: swift build --traits PostgreSQL"
            )
            #endif
        }
        return try WebShop(setup, publicOrigin: publicOrigin)
    }
}
