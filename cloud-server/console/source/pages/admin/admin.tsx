// Administration: users, tokens, approvals, the audit log, webhooks, join tokens, what expires. One row a section.
import type {ComponentType} from 'preact';
import {may} from '../../api/session';
import {PageHead, Tabs} from '../../parts/page';
import type {PageProps} from '../list';
import {ApprovalsSection} from './approvals';
import {AuditSection} from './audit';
import {ExpirySection} from './expiry';
import {JoinTokensSection} from './join_tokens';
import {MeSection} from './me';
import {UsersSection} from './users';
import {WebhooksSection} from './webhooks';

interface Section { route: string; name: string; Show: ComponentType<PageProps>; admin?: boolean }

const SECTIONS: Section[] = [
  {route: 'approvals', name: 'Approvals', Show: ApprovalsSection},
  {route: 'audit', name: 'Audit log', Show: AuditSection},
  {route: 'users', name: 'Users', Show: UsersSection, admin: true},
  {route: 'join-tokens', name: 'Join tokens', Show: JoinTokensSection},
  {route: 'webhooks', name: 'Webhooks', Show: WebhooksSection, admin: true},
  {route: 'expiry', name: 'Expiry', Show: ExpirySection},
  {route: 'me', name: 'My account', Show: MeSection},
];

export function AdminPage({path, query}: PageProps) {
  const shown = SECTIONS.filter((section) => !section.admin || may('admin'));
  const section = shown.find((item) => item.route === (path[0] ?? 'approvals'));
  return (
    <>
      <PageHead title={section ? section.name : 'There is no such page'} crumbs={[['Administration', '#/admin']]} />
      <Tabs label="Sections" current={`#/admin/${section?.route ?? ''}`} tabs={shown.map((item) => [item.name, `#/admin/${item.route}`])} />
      {section ? <section.Show path={path.slice(1)} query={query} /> : <p class="empty">The address names no section that you may see.</p>}
    </>
  );
}
