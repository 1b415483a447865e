import { CONSUMER_ROUTES, PULL_ROUTES } from '../events-consumers.ts'
import { EVENT_ROUTES } from '../events-routes.ts'
import type { Route } from '../route.ts'
import { collectionRoutes } from './collections.ts'
import { guaranteeRoutes } from './guarantees.ts'
import { keyRoutes } from './keys.ts'
import { searchRoutes } from './search.ts'
import { serviceRoutes } from './service.ts'
import { sessionRoutes } from './sessions.ts'
import { sourceRoutes } from './sources.ts'
import { storeRoutes } from './store.ts'

/** Everything a server serves by itself. */
export const ROUTES: readonly Route[] = [
  ...collectionRoutes,
  ...sourceRoutes,
  ...keyRoutes,
  ...searchRoutes,
  ...sessionRoutes,
  ...guaranteeRoutes,
  ...storeRoutes,
  ...EVENT_ROUTES,
  ...CONSUMER_ROUTES,
  ...PULL_ROUTES,
  ...serviceRoutes,
]
