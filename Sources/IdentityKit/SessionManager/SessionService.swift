/// ``SessionManager`` and its parts; each of them stores only the shared ``SessionContext``, which contains all state.
protocol SessionService: Sendable {
    var context: SessionContext { get }
}

extension SessionService {
    var environment: IdentityEnvironment { context.environment }
    var clock: any IdentityClock { context.environment.clock }
    var configuration: SessionManager.Configuration { context.configuration }
    var events: EventSource { context.events }
    var visible: VisibleSessions { context.visible }
    var participants: SessionParticipants { context.participants }
    var background: BackgroundWork { context.background }
    var cache: SessionTokensCache? { context.cache }
    var schedule: RefreshSchedule { context.schedule }
    var unsaved: UnsavedTokens { context.refreshMemory.unsaved }

    var upkeep: SessionUpkeep { SessionUpkeep(context: context) }
    var deviceLogins: DeviceLogins { DeviceLogins(context: context) }
    var backChannelLogouts: BackChannelLogouts { BackChannelLogouts(context: context) }
    var logins: LoginCoordinator { LoginCoordinator(context: context) }
    var stepUps: StepUpCoordinator { StepUpCoordinator(context: context) }
    var mixUpCheck: MixUpCheck { MixUpCheck(context: context) }
    var creator: SessionCreator { SessionCreator(context: context) }
    var tokenReader: SessionTokensReader { SessionTokensReader(context: context) }
    var refresher: TokenRefresher { TokenRefresher(context: context) }
    var lockTimeCheck: LockTimeCheck { LockTimeCheck(context: context) }
    var revocation: TokenRevocation { TokenRevocation(context: context) }
    var logouts: LogoutCoordinator { LogoutCoordinator(context: context) }
    var providerLogout: ProviderLogout { ProviderLogout(context: context) }
}
