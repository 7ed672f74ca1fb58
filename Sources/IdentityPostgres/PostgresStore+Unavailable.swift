#if !PostgreSQL
/// The session store in PostgreSQL, which this build does not contain.
@available(
    *,
    unavailable,
    message: "Switch on the trait PostgreSQL of the package: .package(…, traits: [\"PostgreSQL\"])"
)
public enum PostgresStore {}
#endif
