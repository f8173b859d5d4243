// Courses: sections and lessons in their order and within one course, enrollments that are suspended and resumed, and the completion of a
// course, which is an event once.
import { beforeEach, describe, expect, test } from 'vitest';
import { blankAll } from '../support/blanking.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { openTill, type Till } from '../support/orders/money.ts';
import { type Goods, offer } from '../support/orders/shop.ts';
import { createRestClient, type RestClient, type Shown, sendingAs } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
let client: RestClient;
beforeEach(async () => {
  client = await createRestClient(gateway);
});

const API = '/api/v2';

/** Sends a request that must succeed. */
async function done(method: string, path: string, body?: object): Promise<Shown> {
  const { status, text, body: shown } = await client.send(method, `${API}/${path}`, body);
  expect([status, text]).toEqual([expect.toBeOneOf([200, 201, 204]), text]);
  return shown;
}
const listOf = async (path: string) => (await done('GET', path)) as unknown as Shown[];
const createCourse = (title = 'Knots', members: object = {}) =>
  done('POST', `workspaces/${client.workspaceId}/courses`, { course: { title, ...members } });
const createSection = (courseId: number, title: string, members: object = {}) =>
  done('POST', `courses/${courseId}/sections`, { courses_section: { title, ...members } });
const createLesson = (sectionId: number, title: string, members: object = {}) =>
  done('POST', `courses/sections/${sectionId}/lessons`, { courses_lesson: { title, ...members } });
const enroll = (courseId: number, contactId: number, members: object = {}) =>
  done('POST', `courses/${courseId}/enrollments`, {
    courses_enrollment: { contact_id: contactId, ...members },
  });
const somebody = async () => (await client.create({ first_name: 'Ada' })).body.id;
const complete = (courseId: number, enrollmentId: number, lessonId: number) =>
  client.send('POST', `${API}/courses/${courseId}/lesson_completions`, {
    courses_lesson_completion: { enrollment_id: enrollmentId, lesson_id: lessonId },
  });

/** The types of the events of the workspace whose type begins so, the oldest first. */
async function eventsOf(topic: string): Promise<string[]> {
  const { rows } = await app.store.pool.query<{ event_type: string }>(
    'select event_type from events where workspace_id = $1 and event_type like $2 order by id',
    [client.workspaceId, `${topic}.%`],
  );
  return rows.map(({ event_type }) => event_type.slice(topic.length + 1));
}

/** A course with two lessons in two sections, and somebody who is enrolled. */
async function twoLessons() {
  const { id: courseId } = await createCourse();
  const first = await createSection(courseId, 'First');
  const second = await createSection(courseId, 'Second');
  const lessons = [await createLesson(first.id, 'One'), await createLesson(second.id, 'Two')];
  const contactId = await somebody();
  const enrollment = await enroll(courseId, contactId);
  return { courseId, first, contactId, enrollmentId: enrollment.id, lessons: lessons.map(({ id }) => id) };
}
const completedAt = async (enrollmentId: number) =>
  (await done('GET', `courses/enrollments/${enrollmentId}?expand[]=completed_at`))['completed_at'];

describe('sections and lessons', () => {
  test('have an order, in which lists can be asked for, over both faces', async () => {
    const { id: courseId } = await createCourse();
    const [a, b, c] = [
      await createSection(courseId, 'A'),
      await createSection(courseId, 'B'),
      await createSection(courseId, 'C'),
    ];
    expect([a, b, c].map((one) => one['sort_order'])).toEqual([0, 1, 2]);
    const ids_in_order = [c.id, a.id, b.id];
    await done('POST', `courses/${courseId}/sections/reorder`, { ids_in_order });
    const sorted = await listOf(`courses/${courseId}/sections?sort_property=sort_order`);
    expect(sorted.map(({ id, sort_order }) => [id, sort_order])).toEqual(
      ids_in_order.map((id, index) => [id, index]),
    );
    const lesson = await createLesson(a.id, 'Lesson', { body: '<p>Hello</p>' });
    expect(await listOf(`courses/sections/${a.id}/lessons?sort_property=sort_order&sort_order=desc`)).toEqual(
      [lesson],
    );
    const query = `query ($id: BigInt!) { course(by: { databaseId: $id }) {
      sections(orderBy: { field: POSITION }) { nodes { databaseId position course { title } lessons { nodes { title body section { databaseId } } } } } } }`;
    const { data, errors } = await post<{
      course: { sections: { nodes: { databaseId: number; lessons: { nodes: object[] } }[] } };
    }>(gateway, { query, variables: { id: courseId } }, { caller: client.caller });
    expect(errors).toBeUndefined();
    const nodes = data?.course.sections.nodes ?? [];
    expect(nodes.map(({ databaseId }) => databaseId)).toEqual(ids_in_order);
    expect(nodes[1]?.lessons.nodes).toEqual([
      { title: 'Lesson', body: '<p>Hello</p>', section: { databaseId: a.id } },
    ]);
  });

  test('a section waits for a section or a lesson of its own course, and not for itself', async () => {
    const { courseId, first, lessons } = await twoLessons();
    const other = await twoLessons();
    const change = (members: object) =>
      client.refused(422, 'PUT', `${API}/courses/sections/${first.id}`, { courses_section: members });
    expect(await change({ blocker_lesson_id: other.lessons[0] })).toEqual(['blocker_lesson_id']);
    expect(await change({ blocker_section_id: other.first.id })).toEqual(['blocker_section_id']);
    expect(await change({ blocker_section_id: first.id })).toEqual(['blocker_section_id']);
    const [, second] = await listOf(`courses/${courseId}/sections`);
    const waiting = await done('PUT', `courses/sections/${second?.id}`, {
      courses_section: { blocker_lesson_id: lessons[0], blocker_section_id: first.id },
    });
    expect(waiting).toMatchObject({
      blocker_lesson_id: String(lessons[0]),
      blocker_section_id: String(first.id),
    });
    const { status, body } = await client.send('DELETE', `${API}/courses/lessons/${lessons[0]}`);
    expect([status, body['code']]).toEqual([409, 'conflict']);
  });

  test('publishing is an event whenever there was no time before', async () => {
    const { id } = await createCourse('Knots', { published_at: '2026-01-01T00:00:00Z' });
    const change = (published_at: string | null) =>
      done('PATCH', `courses/${id}`, { course: { published_at } });
    await change('2026-02-01T00:00:00Z');
    await change(null);
    await change('2026-03-01T00:00:00Z');
    const published = ['created', 'published', 'updated', 'updated', 'updated', 'published'];
    expect((await eventsOf('course')).toSorted()).toEqual(published.toSorted());
  });
});

describe('an enrollment', () => {
  test('is once for a course, and suspended and resumed', async () => {
    const { id: courseId } = await createCourse();
    const contactId = await somebody();
    const enrollment = await enroll(courseId, contactId);
    expect(enrollment).toMatchObject({
      ...{ contact_id: contactId, course_id: courseId, suspended: false, suspension_reason: null },
      ...{ current_path: null, origination_source_id: null, origination_source_type: null },
      contact: { id: contactId, first_name: 'Ada' },
    });
    expect(enrollment).not.toHaveProperty('completed_at');
    const again = { courses_enrollment: { contact_id: contactId } };
    const path = `${API}/courses/${courseId}/enrollments`;
    expect(await client.refused(422, 'POST', path, again)).toEqual(['contact_id']);
    const change = (members: object) =>
      done('PUT', `courses/enrollments/${enrollment.id}`, { courses_enrollment: members });
    const reason = { suspended: true, suspension_reason: 'Bounced' };
    expect(await change(reason)).toMatchObject(reason);
    expect(await change({ suspended: false })).toMatchObject({ suspended: false, suspension_reason: null });
    await change({ suspended: true });
    expect((await eventsOf('courses/enrollment')).toSorted()).toEqual(
      ['created', 'suspended', 'suspended', 'updated', 'updated', 'updated'].toSorted(),
    );
    const [found, ...others] = await listOf(
      `courses/${courseId}/enrollments?filter[contact_id]=${contactId}`,
    );
    expect([found?.id, others]).toEqual([enrollment.id, []]);
  });

  test('shows its contact to those who may read contacts', async () => {
    const { enrollmentId, courseId } = await twoLessons();
    const caller = await factories.apiKey(app, { teamId: client.teamId, scopes: ['courses:read'] });
    const send = sendingAs(gateway, caller);
    const { body } = await send('GET', `${API}/courses/enrollments/${enrollmentId}`);
    expect(body).toMatchObject({ id: enrollmentId, course_id: courseId, contact: null });
    const path = `${API}/courses/${courseId}/enrollments`;
    expect(JSON.parse((await send('GET', path)).text)).toEqual([body]);
  });

  test('keeps its course from being deleted, and goes with its contact', async () => {
    const { courseId, contactId, enrollmentId, lessons } = await twoLessons();
    await complete(courseId, enrollmentId, lessons[0] ?? 0);
    const refused = await client.send('DELETE', `${API}/courses/${courseId}`);
    const refusedLesson = await client.send('DELETE', `${API}/courses/lessons/${lessons[0]}`);
    expect([refused.status, refusedLesson.status]).toEqual([409, 409]);
    await done('DELETE', `contacts/${contactId}`);
    expect(await listOf(`courses/${courseId}/enrollments`)).toEqual([]);
    expect(await listOf(`courses/${courseId}/lesson_completions`)).toEqual([]);
    await done('DELETE', `courses/${courseId}`);
    expect(await eventsOf('course')).toContain('deleted');
  });

  test('is erased with its contact, with what was completed: hidden at once, deleted afterwards', async () => {
    const { courseId, contactId, enrollmentId, lessons } = await twoLessons();
    const other = await enroll(courseId, await somebody());
    for (const id of [enrollmentId, other.id]) await complete(courseId, id, lessons[0] ?? 0);
    await done('PUT', `courses/enrollments/${enrollmentId}`, {
      courses_enrollment: { suspended: true, suspension_reason: 'Conspicuous' },
    });
    await done('DELETE', `contacts/${contactId}/gdpr_destroy`);
    const left = async () => [
      (await listOf(`courses/${courseId}/enrollments`)).map(({ id }) => id),
      (await listOf(`courses/${courseId}/lesson_completions`)).map((one) => one['enrollment_id']),
      (await client.send('GET', `${API}/courses/enrollments/${enrollmentId}`)).status,
    ];
    const expected = [[other.id], [other.id], 404];
    expect(await left()).toEqual(expected);
    await blankAll(app);
    expect(await left()).toEqual(expected);
    const tables = ['course_enrollments', 'audit_entries', 'events'];
    for (const table of tables) {
      const { rows } = await app.store.pool.query(
        `select 1 from ${table} t where workspace_id = $1 and t::text ~ 'Conspicuous'`,
        [client.workspaceId],
      );
      expect([table, rows]).toEqual([table, []]);
    }
  });
});

describe('completing a course', () => {
  test('is an event once, ever: taking a completion back is none, and completing it again is none', async () => {
    const { courseId, enrollmentId, lessons } = await twoLessons();
    const [one = 0, two = 0] = lessons;
    const first = await complete(courseId, enrollmentId, one);
    expect(Object.keys(first.body)).toEqual([
      ...['id', 'public_id', 'enrollment_id', 'lesson_id', 'completed_at'],
    ]);
    expect(await completedAt(enrollmentId)).toBeNull();
    const { body: last } = await complete(courseId, enrollmentId, two);
    expect(await completedAt(enrollmentId)).not.toBeNull();
    const events = ['created', 'course_completed'];
    expect(await eventsOf('courses/enrollment')).toEqual(events);
    await done('DELETE', `courses/lesson_completions/${last.id}`);
    expect(await completedAt(enrollmentId)).toBeNull();
    await complete(courseId, enrollmentId, two);
    expect(await completedAt(enrollmentId)).not.toBeNull();
    expect(await eventsOf('courses/enrollment')).toEqual(events);
    const { rows } = await app.store.pool.query<{ data: Shown }>(
      "select data from events where workspace_id = $1 and event_type = 'courses/enrollment.course_completed'",
      [client.workspaceId],
    );
    expect(rows).toMatchObject([{ data: { id: enrollmentId, course_id: courseId } }]);
  });

  test('is an event once when the last two lessons are completed at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { courseId, enrollmentId, lessons } = await twoLessons();
      const answers = await Promise.all(lessons.map((id) => complete(courseId, enrollmentId, id)));
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(await completedAt(enrollmentId)).not.toBeNull();
      const completed = (await eventsOf('courses/enrollment')).filter((name) => name === 'course_completed');
      expect(completed).toHaveLength(round + 1);
    }
  });

  test('a lesson is completed once, by an enrollment in its own course', async () => {
    const { courseId, enrollmentId, lessons } = await twoLessons();
    const other = await twoLessons();
    await complete(courseId, enrollmentId, lessons[0] ?? 0);
    const refused = (enrollment_id: number, lesson_id: number | undefined) =>
      client.refused(422, 'POST', `${API}/courses/${courseId}/lesson_completions`, {
        courses_lesson_completion: { enrollment_id, lesson_id },
      });
    expect(await refused(enrollmentId, lessons[0])).toEqual(['lesson_id']);
    expect(await refused(enrollmentId, other.lessons[0])).toEqual(['lesson_id']);
    expect(await refused(other.enrollmentId, lessons[1])).toEqual(['enrollment_id']);
  });

  test('stays when a lesson that was added later is completed, and when a completion of a draft is taken back', async () => {
    const { courseId, first, enrollmentId, lessons } = await twoLessons();
    for (const id of lessons) await complete(courseId, enrollmentId, id);
    const before = await completedAt(enrollmentId);
    expect(before).not.toBeNull();
    const added = [await createLesson(first.id, 'Three'), await createLesson(first.id, 'Four')];
    await complete(courseId, enrollmentId, added[0]?.id ?? 0);
    expect(await completedAt(enrollmentId)).toBe(before);
    const other = await twoLessons();
    const draft = await createLesson(other.first.id, 'Draft');
    const { body: completion } = await complete(other.courseId, other.enrollmentId, draft.id);
    await complete(other.courseId, other.enrollmentId, other.lessons[0] ?? 0);
    await done('PUT', `courses/lessons/${other.lessons[0]}`, {
      courses_lesson: { published_at: '2026-01-01T00:00:00Z' },
    });
    await done('DELETE', `courses/lesson_completions/${completion.id}`);
    expect(await completedAt(other.enrollmentId)).toBeNull();
  });

  test('drafts do not count beside published lessons', async () => {
    const { courseId, first, enrollmentId, lessons } = await twoLessons();
    await done('PUT', `courses/lessons/${lessons[0]}`, {
      courses_lesson: { published_at: '2026-01-01T00:00:00Z' },
    });
    await createLesson(first.id, 'Draft');
    await complete(courseId, enrollmentId, lessons[0] ?? 0);
    expect(await completedAt(enrollmentId)).not.toBeNull();
  });

  test('over GraphQL', async () => {
    const { courseId, contactId, enrollmentId, lessons } = await twoLessons();
    const ask = (query: string, variables: object = {}) =>
      post(gateway, { query, variables }, { caller: client.caller });
    const id = (type: string, of: number | undefined) => btoa(`${type}:${of}`);
    for (const lesson of lessons) {
      const { data, errors } = await ask(
        `mutation ($input: CreateCourseLessonCompletionInput!) { createCourseLessonCompletion(input: $input) {
          courseLessonCompletion { completedAt enrollment { databaseId } lesson { databaseId } } userErrors { message } } }`,
        {
          input: {
            courseId: id('Course', courseId),
            enrollmentId: id('CourseEnrollment', enrollmentId),
            lessonId: id('CourseLesson', lesson),
          },
        },
      );
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({
        createCourseLessonCompletion: {
          courseLessonCompletion: {
            enrollment: { databaseId: enrollmentId },
            lesson: { databaseId: lesson },
          },
        },
      });
    }
    const { data, errors } = await ask(
      `query ($id: BigInt!) { contact(by: { databaseId: $id }) { courseEnrollments { nodes { isSuspended completedAt
        course { title } contact { databaseId } order { databaseId } lessonCompletions { totalCount } } } } }`,
      { id: contactId },
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      contact: {
        courseEnrollments: {
          nodes: [
            {
              ...{ isSuspended: false, completedAt: expect.any(String), course: { title: 'Knots' } },
              ...{ contact: { databaseId: contactId }, order: null, lessonCompletions: { totalCount: 2 } },
            },
          ],
        },
      },
    });
  });
});

describe('an order of a product with courses', () => {
  interface Enrollment {
    readonly id: number;
    readonly suspended: boolean;
    readonly suspension_reason: string | null;
    readonly origination_source_id: number | null;
    readonly origination_source_type: string | null;
  }
  let till: Till;
  let course: number;
  let goods: Goods;
  beforeEach(async () => {
    till = await openTill(gateway);
    client = till.client;
    course = (await createCourse()).id;
    goods = await sold(course);
  });

  /** Something on offer that has these courses. */
  async function sold(...course_ids: number[]): Promise<Goods> {
    const offered = await offer(app, client.workspaceId, { paymentType: 'subscription' });
    const product = await done('PUT', `products/${offered.productId}`, { product: { course_ids } });
    expect(product['course_ids']).toEqual(course_ids);
    return offered;
  }
  const enrollments = async (id = course) =>
    (await listOf(`courses/${id}/enrollments`)) as unknown as Enrollment[];
  const subscription = (of = goods, given: object = {}) =>
    till.order([[of, 1]], { order_type: 'subscription-order', ...given });
  const change = (id: number, order: object) => done('PUT', `orders/${id}`, { order });
  const enrolled = () => eventsOf('courses/enrollment');

  test('enrolls its contact when it is paid, and not before', async () => {
    const { id } = await subscription(goods, { billing_status: 'unpaid' });
    expect(await enrollments()).toEqual([]);
    await change(id, { billing_status: 'paid' });
    expect(await enrollments()).toMatchObject([
      { suspended: false, origination_source_id: id, origination_source_type: 'Order' },
    ]);
    const other = await subscription(goods, { billing_status: 'paid' });
    expect((await enrollments()).map((one) => one.origination_source_id)).toEqual([id]);
    expect(await enrolled()).toEqual(['created']);
    const { rows } = await app.store.pool.query(
      `select action from audit_entries where workspace_id = $1 and subject_type = 'Courses::Enrollment'`,
      [client.workspaceId],
    );
    expect([rows.map(({ action }) => action), other.id > id]).toEqual([['courses/enrollment.created'], true]);
  });

  test('that is paid at once enrolls in all courses of all lines, and tells endpoints', async () => {
    const second = await createCourse('Weather');
    const endpoint = { url: 'https://hooks.example.com/in', name: 'In', event_type_ids: [] };
    await done('POST', `workspaces/${client.workspaceId}/webhooks/outgoing/endpoints`, {
      webhooks_outgoing_endpoint: endpoint,
    });
    const both = await sold(course, second.id);
    await till.order(
      [
        [both, 1],
        [goods, 1],
      ],
      { order_type: 'subscription-order', billing_status: 'paid' },
    );
    expect([await enrollments(), await enrollments(second.id)]).toMatchObject([[{}], [{}]]);
    const { rows } = await app.store.pool.query(
      "select event_type from webhook_deliveries where workspace_id = $1 and event_type like 'courses/%'",
      [client.workspaceId],
    );
    expect(rows).toHaveLength(2);
  });

  test('suspends the enrollment when it is canceled, and resumes it when it is active again', async () => {
    const { id } = await subscription(goods, { billing_status: 'paid' });
    await done('POST', `orders/${id}/cancel`);
    expect(await enrollments()).toMatchObject([
      { suspended: true, suspension_reason: 'The order has ended.' },
    ]);
    await change(id, { service_status: 'active' });
    expect(await enrollments()).toMatchObject([{ suspended: false, suspension_reason: null }]);
    expect((await enrolled()).toSorted()).toEqual(['created', 'suspended', 'updated', 'updated']);
  });

  test('suspends the enrollment when it is refunded in full, and another paid order resumes it', async () => {
    const { id } = await subscription(goods, { billing_status: 'unpaid' });
    const paid = await till.pay(id, {
      amount: '12.00',
      currency: 'EUR',
      result: 'approved',
      status: 'completed',
    });
    expect([paid.status, (await enrollments()).length]).toEqual([201, 1]);
    await till.refund(paid.body.id, { amount: '5.00' });
    expect(await enrollments()).toMatchObject([{ suspended: false }]);
    await till.refund(paid.body.id);
    expect(await enrollments()).toMatchObject([
      { suspended: true, suspension_reason: 'The order was refunded.' },
    ]);
    const next = await subscription(goods, { billing_status: 'paid' });
    expect(await enrollments()).toMatchObject([{ suspended: false, origination_source_id: next.id }]);
  });

  test('leaves access that another paid order gives too', async () => {
    const first = await subscription(goods, { billing_status: 'paid' });
    const second = await subscription(goods, { billing_status: 'paid' });
    await done('POST', `orders/${first.id}/cancel`);
    expect(await enrollments()).toMatchObject([{ suspended: false, origination_source_id: second.id }]);
    await done('POST', `orders/${second.id}/cancel`);
    expect(await enrollments()).toMatchObject([{ suspended: true }]);
  });

  test('neither resumes nor suspends what a client has done', async () => {
    const { id } = await subscription(goods, { billing_status: 'paid' });
    const [enrollment] = await enrollments();
    await done('PUT', `courses/enrollments/${enrollment?.id}`, {
      courses_enrollment: { suspended: true, suspension_reason: 'Rude' },
    });
    await done('POST', `orders/${id}/cancel`);
    await subscription(goods, { billing_status: 'paid' });
    expect(await enrollments()).toMatchObject([{ suspended: true, suspension_reason: 'Rude' }]);
  });

  test('names courses of its own workspace', async () => {
    const other = await createRestClient(gateway);
    const theirs = await other.send('POST', `${API}/workspaces/${other.workspaceId}/courses`, {
      course: { title: 'Theirs' },
    });
    const refused = await client.refused(422, 'PUT', `${API}/products/${goods.productId}`, {
      product: { course_ids: [theirs.body.id] },
    });
    expect(refused).toEqual(['course_ids']);
    await done('DELETE', `courses/${course}`);
    expect((await done('GET', `products/${goods.productId}`))['course_ids']).toEqual([]);
  });

  test('ends when all its orders end at once, and stays when one is paid as another ends', async () => {
    for (let round = 0; round < 8; round++) {
      const bought = await sold((await createCourse()).id);
      const [courseId] = (await done('GET', `products/${bought.productId}`))['course_ids'] as number[];
      const [first, second] = [
        await subscription(bought, { billing_status: 'paid' }),
        await subscription(bought, { billing_status: 'paid' }),
      ];
      const end = (id: number) => change(id, { billing_status: 'refunded' });
      await Promise.all([end(first.id), end(second.id)]);
      expect(await enrollments(courseId)).toMatchObject([{ suspended: true }]);
      const [paid, unpaid] = [
        await subscription(bought, { billing_status: 'paid' }),
        await subscription(bought, { billing_status: 'unpaid' }),
      ];
      await Promise.all([end(paid.id), change(unpaid.id, { billing_status: 'paid' })]);
      expect(await enrollments(courseId)).toMatchObject([{ suspended: false }]);
    }
  });

  test('enrolls once when two orders are paid at once', async () => {
    const orders = await Promise.all([1, 2, 3].map(() => subscription(goods, { billing_status: 'paid' })));
    expect([orders.length, (await enrollments()).length]).toEqual([3, 1]);
    expect(await enrolled()).toEqual(['created']);
  });
});
